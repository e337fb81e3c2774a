// How tsup makes the command line, for tsup.config.ts.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Options } from 'tsup';
import * as facts from '../cli/options/facts.js';
import { buildPage } from '../inspector/build.js';
import { importsOf, noteInputs, sharedFiles } from './files.js';

/** Files of what commands share: each has the sources of these, but those that a file before has. */
const SHARED = {
  program: ['src/cli/program.ts'],
  options: ['src/cli/options/command.ts', 'src/cli/io/output.ts'],
  card: ['src/cli/io/card.ts'],
  placement: ['src/cli/options/placement.ts', 'src/cli/io/reports.ts'],
  stores: ['src/cli/options/store.ts', 'src/cli/io/outcomes.ts'],
};

/** Packages, which are files of their own. */
const PACKAGES = {
  commander: 'node_modules/commander/index.js',
  'cli-progress': 'node_modules/cli-progress/cli-progress.js',
};

/**
 * A file for each command, which is loaded when it is called.
 * @param fileOf the file of the library that has a source
 */
export async function commandLine(fileOf: (source: string) => string | undefined): Promise<Options> {
  const { shared, fileWith } = await sharedFiles('cli', SHARED, 'src/cli/');
  const sources = readdirSync('src/cli/commands', { recursive: true, encoding: 'utf8' });
  const commands = sources
    .map((path) => [basename(path, '.ts'), `src/cli/commands/${path}`])
    .filter(([, path]) => path.endsWith('.ts') && fileWith(path) === undefined);
  const names = new Map(commands.map(([name, path]) => [path, name]));
  const nameOf = (source: string) =>
    fileWith(source) ?? names.get(source) ?? (Object.hasOwn(PACKAGES, source) ? source : undefined);
  return {
    entry: { start: 'src/cli/start.ts', ...shared, ...PACKAGES, ...Object.fromEntries(commands) },
    outDir: 'dist/cli',
    format: 'cjs',
    target: 'es2022',
    splitting: false,
    shims: true, // for `import.meta.url`
    minify: true,
    noExternal: Object.keys(PACKAGES),
    removeNodeProtocol: false,
    // Each command is loaded by `require`: Node.js takes 5 ms to load the first file by `import()`.
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false };
    },
    esbuildPlugins: [
      importsOf((source) => {
        const [name, ofLibrary] = [nameOf(source), fileOf(source)];
        return name === undefined ? ofLibrary && `../${ofLibrary}.cjs` : `./${name}.cjs`;
      }),
      factsAsData,
      versionAlone,
      withoutChildProcess,
      onlyOnce,
      inspector,
    ],
  };
}

/** Writes out what the command line tells of systems, as data. */
const factsAsData: Plugin = {
  name: 'facts',
  setup: ({ onLoad }) =>
    onLoad({ filter: /cli.options.facts\.ts$/ }, () => ({
      contents: Object.entries(facts)
        .map(([name, fact]) => `export const ${name} = ${JSON.stringify(fact)};`)
        .join('\n'),
    })),
};

/** Leaves the rest of package.json out. */
const versionAlone: Plugin = {
  name: 'version',
  setup: ({ onLoad }) =>
    onLoad({ filter: /package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    }),
};

/** Leaves out what commander loads for programs whose commands are files of their own: 2 ms. */
const withoutChildProcess: Plugin = {
  name: 'without child_process',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:child_process$/ }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '' }));
  },
};

/** Refuses sources that are in two files: they belong to {@link SHARED}. Lists of exports leave nothing behind. */
const onlyOnce: Plugin = {
  name: 'only once',
  setup: ({ onEnd }) =>
    onEnd(({ metafile }) => {
      const sources = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
      const twice = sources.filter((path, at) => /^src.*(?<!index)\.ts$/.test(path) && sources.indexOf(path) < at);
      if (twice.length > 0) throw new Error(`in several files of dist/cli: ${twice.join(', ')}`);
    }),
};

const inspector: Plugin = {
  name: 'inspector',
  setup: ({ onEnd }) =>
    onEnd(async () => {
      const { html, inputs } = await buildPage();
      writeFileSync('dist/inspector.html', html);
      noteInputs(inputs);
    }),
};
