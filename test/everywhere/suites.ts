// The tests of the library's logic, on platforms where Vitest does not run.
import { cpSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { type Platform, runOn } from './emulated.js';
import { run } from './processes.js';
import type { SuitesOutcome } from './program/vitest.js';
import { outcomeOf, together } from './row.js';
import type { Scratch } from './scratch.js';

/** All of them take QEMU 160 to 280 s, and `run` stops a program after 300 s. */
const FILES_AT_ONCE = 20;

/** The files of tests that need only JavaScript: those that Vitest runs in Chromium, except for those about pages. */
export async function pureFiles(scratch: Scratch): Promise<string[]> {
  const listed = await list(scratch, '--mode', 'chromium', '--project', 'chromium', '--filesOnly');
  return [...new Set(listed.map(({ file }) => file))].filter((file) => !file.startsWith('test/browser/')).sort();
}

/** The names of all tests in some files, as Vitest runs them on this machine in `npm test`. */
export async function namesIn(scratch: Scratch, files: readonly string[]): Promise<string[]> {
  const listed = await list(scratch, '--mode', 'test', '--project', 'node', ...files);
  return listed.map(({ file, name }) => `${file} > ${name}`).sort();
}

async function list(scratch: Scratch, ...args: string[]): Promise<{ file: string; name: string }[]> {
  const output = join(scratch.room('vitest'), 'list.json');
  await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'list', `--json=${output}`, ...args]);
  const listed = JSON.parse(readFileSync(output, 'utf8')) as { file: string; name: string }[];
  return listed.map(({ file, name }) => ({ file: relative('', file), name }));
}

/** Makes one program of files of tests and all that they import. @returns the folder that it is in */
export async function bundleSuites(scratch: Scratch, files: readonly string[]): Promise<string> {
  const folder = scratch.room('suites');
  const loads = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)}),`);
  await build({
    stdin: {
      contents: `import { runSuites } from './test/everywhere/program/vitest.js';
        await runSuites(() => import('./test/support/seed.js'), { ${loads.join('\n')} });`,
      resolveDir: '.',
    },
    outfile: join(folder, 'suites.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    ignoreAnnotations: true, // package.json says that our modules have no side effects, but some of test/support/ have
    external: ['roaring-wasm'], // it reads a file beside its own
    logLevel: 'error',
  });
  cpSync('node_modules/roaring-wasm', join(folder, 'node_modules/roaring-wasm'), { recursive: true });
  return folder;
}

/** Runs files of such a program on another platform. */
export async function runSuitesOn(
  scratch: Scratch,
  platform: Platform,
  folder: string,
  files: readonly string[],
): Promise<SuitesOutcome> {
  const outcomes: SuitesOutcome[] = [];
  for (let from = 0; from < files.length; from += FILES_AT_ONCE) {
    const some = files.slice(from, from + FILES_AT_ONCE);
    outcomes.push(outcomeOf(await runOn(scratch, platform, ['suites.mjs', ...some], folder)));
  }
  // A program that fails as a whole has no names.
  return { ...together(outcomes), names: outcomes.flatMap(({ names = [] }) => names).sort() };
}
