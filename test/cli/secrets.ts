import { expect } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { IS_WHOLE } from '../support/scale.js';
import { places } from './foreign.js';

export const SECRET = 'sEcReT';

/** URLs that no store takes. */
export const MISTYPED = [
  ` postgres://u:${SECRET}@host/db`,
  `\tpostgres://u:${SECRET}@host/db`,
  `postgres:/u:${SECRET}@host/db`,
  `postgres:u:${SECRET}@host/db`,
  `postgresql//u:${SECRET}@host/db`,
  `//u:${SECRET}@host/db`,
  `://u:${SECRET}@host/db`,
  `u:${SECRET}@host/db`,
  `u:${SECRET} ${SECRET}@host/db`,
  `u@corp:${SECRET}@host/db`,
  `:${SECRET}@host/db`,
  `"postgres://u:${SECRET}@host/db"`,
  `'postgres://u:${SECRET}@host/db'`,
  `DATABASE_URL=postgres://u:${SECRET}@host/db`,
  `--store=postgres://u:${SECRET}@host/db`,
  `POSTGRES://u:${SECRET}@host/db`,
  `Postgres://u:${SECRET}@host/db`,
  `postgres ://u:${SECRET}@host/db`,
  `postgre://u:${SECRET}@host/db`,
  `http://u:${SECRET}@host/db`,
  `https://u:${SECRET}@host/db`,
  `mysql://u:${SECRET}@host/db`,
  `redis://:${SECRET}@host`,
  `jdbc:postgresql://u:${SECRET}@host/db`,
  `jdbc:postgresql://host/db?user=u&password=${SECRET}`,
  `etcd:/u:${SECRET}@host:2379`,
  `ETCD://u:${SECRET}@host:2379`,
  `postgres%3A%2F%2Fu%3A${SECRET}%40host%2Fdb`,
  `host=h user=u password=${SECRET} dbname=d`,
  `password = '${SECRET} ${SECRET}' host=h`,
  `PGPASSWORD=${SECRET}`,
  `pwd=${SECRET};server=h`,
  `etcd://u:${SECRET}`,
  `etcd://u:${SECRET}@host:2379?nonsense=1`,
  `etcd://u:${SECRET}%zz@host:2379`,
];

/** URLs whose password is where one may be, so that a store could be there. */
export const FITTING = [
  `postgres://u:${SECRET}@127.0.0.1:1/db`,
  `postgres:///u:${SECRET}@127.0.0.1:1/db`,
  `postgres://u:p@${SECRET}@127.0.0.1:1/db`,
  `postgres://u:${SECRET}/${SECRET}@127.0.0.1:1/db`,
  `postgres://u:${SECRET}#${SECRET}@127.0.0.1:1/db`,
  `postgres://u:${SECRET}?${SECRET}@127.0.0.1:1/db`,
  `postgres://u:%40${SECRET}@127.0.0.1:1/db`,
  `postgres://u:${SECRET}\n${SECRET}@127.0.0.1:1/db`,
  `postgres://u:"${SECRET}@127.0.0.1:1/db`,
  `postgres://127.0.0.1:1/db?password=${SECRET}`,
  `postgres://127.0.0.1:1/db?user=u&sslpassword=${SECRET} ${SECRET}&x=1`,
  `postgres://u:${SECRET}`,
  `postgres://u:${SECRET}/db`,
  `postgres://u:1${SECRET}/${SECRET}`,
  `etcds://u:${SECRET}@127.0.0.1:1`,
];

/** What these print are the names that they were given, for machines. */
const DATA = / of (store ddl|sql|map create|map change)$/;

/** The command line says no password, wherever it is. @param step 1: in every place of a command line; 4: in every fourth */
export async function expectNoPassword(step: number): Promise<void> {
  const cwd = temporaryFolder();
  for (const [turn, { what, isStore, args }] of (await places()).entries()) {
    if (turn % step > 0) continue;
    const all = isStore ? MISTYPED : [...MISTYPED, ...FITTING];
    const some = [all[turn % all.length], all[(7 * (turn + 1)) % all.length]] as string[];
    for (const text of IS_WHOLE ? all : some) {
      const { stdout, stderr } = await runHere(args(text), { cwd, input: ['a\n'] }).catch((error) => {
        throw new Error(`${what}: ${error.message}`);
      });
      const said = DATA.test(what) ? stderr : `${stdout}${stderr}`;
      expect(said, `${what}: ${text}`).not.toContain(SECRET);
    }
  }
}
