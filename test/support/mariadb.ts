import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const START_MS = 50_000;

/** Whether MariaDB's programs are here. */
export function hasMariadb(): boolean {
  return ['mariadbd', 'mariadb', 'mariadb-install-db'].every((program) => {
    return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  });
}

export interface MariadbServer {
  /** What the client prints for statements: rows with tabs between columns. */
  run(statements: string): string;
  stop(): Promise<void>;
}

/** Starts a new MariaDB with its data in a temporary folder, which listens on a socket there and on no port. */
export async function startMariadb(): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-mariadb-'));
  const socket = join(folder, 'socket');
  const data = `--datadir=${join(folder, 'data')}`;
  const own = ['--no-defaults', data, ...(process.getuid?.() === 0 ? ['--user=root'] : [])];
  const made = spawnSync('mariadb-install-db', [...own, '--auth-root-authentication-method=normal'], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}${made.stdout}`);
  const log = join(folder, 'log');
  const settings = [
    `--socket=${socket}`,
    '--skip-networking',
    `--log-error=${log}`,
    `--pid-file=${join(folder, 'pid')}`,
  ];
  const server = spawn('mariadbd', [...own, ...settings], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    server.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  const client = ['--no-defaults', `--socket=${socket}`, '--user=root', '--batch', '--skip-column-names'];
  const call = (statements: string, database: readonly string[]) =>
    spawnSync('mariadb', [...client, '--default-character-set=utf8mb4', ...database], {
      input: statements,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
  const deadline = Date.now() + START_MS;
  while (call('create database test_sql', []).status !== 0) {
    if (server.exitCode !== null || Date.now() > deadline) {
      const why = existsSync(log) ? readFileSync(log, 'utf8') : '';
      await stop();
      throw new Error(`MariaDB did not start: ${why}`);
    }
    await setTimeout(50);
  }
  return {
    run: (statements) => {
      const { status, stdout, stderr } = call(statements, ['test_sql']);
      if (status !== 0) throw new Error(stderr);
      return stdout;
    },
    stop,
  };
}
