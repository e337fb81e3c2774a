import type { Dialect } from '../types.js';
import { postgres } from './postgres.js';

const NO_FUNCTIONS = '-- In SQLite, you cannot define a function in SQL.';

export const sqlite: Dialect = {
  title: 'SQLite',
  strategies: ['jump'],
  routing: ({ seed }) => `${NO_FUNCTIONS} In Node.js, with node:sqlite or better-sqlite3, this makes
-- xxh64, jump_hash, shard_of and more in a connection:
--   import { registerSqlite } from 'shardbits/sqlite-functions';
--   registerSqlite(database);${seed === 0n ? '' : `\n-- The seed is the third argument of shard_of: shard_of(key, shards, ${BigInt.asIntN(64, seed)}).`}`,
  times: {
    fromMs: (ms) => `strftime('%Y-%m-%d %H:%M:%f', ${ms} / 1000.0, 'unixepoch')`,
    fromUs: (us) => `strftime('%Y-%m-%d %H:%M:%f', ${us} / 1000000.0, 'unixepoch')`,
    toUs: "((strftime('%s', instant) * 1000 + substr(strftime('%f', instant), 4)) * 1000)",
    divide: postgres.times.divide,
    toId: postgres.times.toId,
  },
  functions: (functions) =>
    `${NO_FUNCTIONS} Take the expressions, or bind :id and :instant.\n${(['id', 'instant'] as const)
      .flatMap((parameter) => {
        const own = functions.filter((one) => one.parameter === parameter);
        const columns = own.map(({ name, body }) => `  ${body} as ${name}`).join(',\n');
        return own.length === 0 ? [] : [`select\n${columns}\nfrom (select :${parameter} as ${parameter});`];
      })
      .join('\n')}`,
  text: postgres.text,
  map: postgres.map,
};
