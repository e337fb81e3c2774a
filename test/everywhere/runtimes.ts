import { join } from 'node:path';
import { PINS } from './pins.js';
import type { Scratch } from './scratch.js';

export const NODES = [20, 22, 24, 26] as const;
/** The package with the program itself. The package `node` would start npm twice more to install it. */
const NODE = `node-${process.platform.replace('win32', 'win')}-${process.arch}`;
const RUN = { bun: [], deno: ['run', '--allow-all'] } as const;

/** The program that is Node of a major version: this one where it fits. */
export async function node(scratch: Scratch, major: (typeof NODES)[number]): Promise<string> {
  const isThis = process.versions.node.startsWith(`${major}.`);
  if (isThis) return process.execPath;
  return nodeFrom(await scratch.tool(`${NODE}@${PINS.node[major]}`), NODE);
}

/** The program in such a package. */
export function nodeFrom(folder: string, name: string): string {
  return join(folder, 'node_modules', name, 'bin', name.startsWith('node-win') ? 'node.exe' : 'node');
}

/** The program that is Bun or Deno, and its arguments before the file that it is to run. */
export async function bunOrDeno(scratch: Scratch, name: 'bun' | 'deno'): Promise<[string, ...string[]]> {
  return [join(await scratch.tool(`${name}@${PINS[name]}`), 'node_modules/.bin', name), ...RUN[name]];
}
