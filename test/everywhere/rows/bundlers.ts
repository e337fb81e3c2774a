import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openChromium } from '../browsers.js';
import { PINS } from '../pins.js';
import { run } from '../processes.js';
import type { Outcome } from '../program/checks.js';
import { outcomeOf, type Row, together } from '../row.js';
import type { Scratch } from '../scratch.js';
import { inBrowser } from './browsers.js';

type Tool = Exclude<keyof typeof PINS, 'node' | 'typescript'>;

interface Bundler {
  /** Itself, and what it needs. */
  readonly packages: readonly [Tool, ...Tool[]];
  /** Makes one module of a program, for browsers, minified if it can; `tools` is where the bundler is installed. */
  bundle(tools: string, from: string, folder: string, file: string): Promise<unknown>;
}

const bin = (tools: string, name: string): string => join(tools, 'node_modules/.bin', name);

const BUNDLERS: { readonly [name: string]: Bundler } = {
  esbuild: {
    packages: ['esbuild'],
    bundle: (tools, from, folder, file) =>
      run(bin(tools, 'esbuild'), [
        from,
        '--bundle',
        '--minify',
        '--format=esm',
        '--log-level=error',
        `--outfile=${join(folder, file)}`,
      ]),
  },
  rollup: {
    packages: ['rollup', '@rollup/plugin-node-resolve', '@rollup/plugin-commonjs'],
    bundle: (tools, from, folder, file) => {
      const plugins = ['-p', '@rollup/plugin-node-resolve={browser:true}', '-p', '@rollup/plugin-commonjs'];
      return run(bin(tools, 'rollup'), [from, ...plugins, '--silent', '-f', 'es', '-o', join(folder, file)], {
        cwd: tools,
      });
    },
  },
  Vite: {
    packages: ['vite'],
    bundle: (tools, from, folder, file) => {
      const rollupOptions = { input: from, output: { entryFileNames: file } };
      const build = { outDir: folder, emptyOutDir: false, modulePreload: false, target: 'es2022', rollupOptions };
      const config = join(folder, `${file}.vite.mjs`);
      writeFileSync(config, `export default ${JSON.stringify({ root: join(from, '..'), logLevel: 'error', build })}`);
      return run(bin(tools, 'vite'), ['build', '--config', config], { cwd: tools });
    },
  },
  webpack: {
    packages: ['webpack'],
    bundle: (tools, from, folder, file) => {
      const output = { path: folder, filename: file, module: true, chunkFormat: 'module' };
      const config = {
        mode: 'production',
        entry: from,
        target: ['web', 'es2022'],
        output,
        experiments: { outputModule: true },
      };
      const script = `require('webpack')(${JSON.stringify(config)}, (error, stats) => {
        if (error || stats.hasErrors()) { console.error(error ?? stats.toString('errors-only')); process.exit(1); }
      })`;
      return run(process.execPath, ['-e', script], { cwd: tools });
    },
  },
};

/** Bundled for browsers, with peers; the bundle runs in Node and in Chromium. And what is not used is left out. */
export const bundlers: readonly Row[] = Object.entries(BUNDLERS).map(([name, { packages, bundle }]) => ({
  name,
  backend: 'wasm',
  run: async (scratch) => {
    const tools = await scratch.tool(...packages.map((each) => `${each}@${PINS[each]}`));
    const folder = scratch.room('bundle');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    await bundle(tools, join(scratch.app, 'bundled.mjs'), folder, 'bundled.js');
    const inNode = outcomeOf(await run(process.execPath, ['bundled.js'], { cwd: folder }));
    const inPage = await inBrowser(openChromium, scratch, folder, 'bundled.js');
    const outcomes = [inNode, inPage, await shaken(scratch, (from, file) => bundle(tools, from, folder, file), folder)];
    return { ...together(outcomes), version: PINS[packages[0]] };
  },
}));

/** A program of one function is smaller than one of all, and works. */
async function shaken(
  scratch: Scratch,
  bundle: (from: string, file: string) => Promise<unknown>,
  folder: string,
): Promise<Outcome> {
  const size = async (name: string, program: string) => {
    const from = join(scratch.app, `${name}-${folder.split('-').at(-1)}.mjs`);
    writeFileSync(from, program);
    await bundle(from, `${name}.js`);
    return readFileSync(join(folder, `${name}.js`)).length;
  };
  const all = await size('all', `import * as all from 'shardbits'; console.log(all);`);
  const one = await size(
    'one',
    `import { getBackend, xxh64 } from 'shardbits'; console.log(xxh64('abc'), getBackend());`,
  );
  const said = (await run(process.execPath, [join(folder, 'one.js')])).trim();
  const failures = [];
  if (one > 0.8 * all) failures.push(`one function takes ${one} bytes, all take ${all}`);
  if (said !== '4952883123889572249n wasm') failures.push(`xxh64 alone says ${said}`);
  return { version: '', backend: 'wasm', checks: 2, failures };
}
