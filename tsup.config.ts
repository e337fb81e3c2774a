import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';
import { commandLine } from './src/build/command-line.js';
import { importsOf, lazyModule, loader, sharedFiles, sourcesOf } from './src/build/files.js';

/** What package.json exports, by the name of its file in dist/. All lie in one folder, so each finds the core beside it. */
const ENTRIES = {
  index: 'src/index.ts',
  ids: 'src/ids/index.ts',
  kernels: 'src/kernels/index.ts',
  streams: 'src/rows/index.ts',
  node: 'src/node/index.ts',
  partitioners: 'src/partitioners/index.ts',
  detect: 'src/detect/index.ts',
  map: 'src/map/index.ts',
  'wide-ids': 'src/wide-ids/index.ts',
  sql: 'src/engines/sql/index.ts',
  'sqlite-functions': 'src/engines/sqlite/functions.ts',
  arrow: 'src/arrow/index.ts',
  sets: 'src/sets/index.ts',
  duckdb: 'src/engines/duckdb/index.ts',
  registry: 'src/registry/index.ts',
  'stores-etcd': 'src/registry/stores/etcd/store.ts',
  'stores-postgres': 'src/registry/stores/postgres/store.ts',
  'stores-sqlite': 'src/registry/stores/sqlite/store.ts',
};

/** Files that several entries share: each has the sources of these, but those that a file before has. */
const SHARED = {
  core: [ENTRIES.index],
  dates: ['src/dates.ts'],
  'kinds-of-ids': [ENTRIES['wide-ids']],
  modules: ['src/kernels/wasm/modules.ts'],
  rows: [ENTRIES.streams],
  files: ['src/file-system.ts'],
  jobs: ['src/node/jobs/run.ts', 'src/node/jobs/job.ts', 'src/node/files/output.ts'],
  'jobs-of-ids': ['src/node/jobs/ids.ts', 'src/guess/index.ts'],
  'jobs-of-routing': ['src/node/jobs/route.ts'],
  'other-jobs': [ENTRIES.node],
};

/** In CommonJS, what a program needs first is apart from the rest of the core; also what the command line needs. */
const FIRST = ['errors', 'hash'];
const SHARED_IN_COMMONJS = {
  errors: ['src/errors.ts'],
  hash: ['src/hash/xxh64.ts'],
  layout: ['src/layout/layout.ts', 'src/ids/text.ts'],
  routing: ['src/routing/router.ts', 'src/routing/plan.ts'],
  ...SHARED,
};

/** Entries that need Node, or packages that do; and ids, which has no WebAssembly. */
const NOT_IN_WORKERD = ['ids', 'node', 'sets', 'duckdb', 'sqlite-functions', 'stores-etcd', 'stores-sqlite'];

/** Modules of WebAssembly that programs use. One more runs in ClickHouse. */
const MODULES = ['core', 'records', 'partitioners'];

const TARGET = 'es2022';
const COMMON: Options = {
  target: TARGET,
  splitting: true,
  treeshake: true, // and Rollup makes the CommonJS: esbuild has no chunks for it, and sucrase breaks `a ?? (yield b)`
  noExternal: ['@assemblyscript/loader', /^@noble\/hashes/], // installing shardbits installs nothing else
};

/** In workerd, which compiles WebAssembly only before a program runs, each entry first hands over its compiled modules. */
async function writeForWorkerd(): Promise<void> {
  for (const name of MODULES) {
    const imports = `import module from '../${name}.wasm';\nimport { precompiled } from '../core.js';\n`;
    writeFileSync(`dist/workerd/${name}-module.js`, `${imports}precompiled.${name} = module;\n`);
  }
  for (const [name, entry] of Object.entries(ENTRIES)) {
    if (NOT_IN_WORKERD.includes(name)) continue;
    const sources = await sourcesOf(entry);
    const used = MODULES.filter((module) => sources.includes(`src/kernels/wasm/${module}.generated.ts`));
    const imports = used.map((module) => `import './${module}-module.js';\n`);
    writeFileSync(`dist/workerd/${name}.js`, `${imports.join('')}export * from '../${name}.js';\n`);
  }
}

export default defineConfig(async () => {
  rmSync('dist', { recursive: true, force: true });
  mkdirSync('dist/workerd', { recursive: true });
  const modules = await sharedFiles('esm', SHARED, 'src/');
  const commonjs = await sharedFiles('cjs', SHARED_IN_COMMONJS, 'src/');
  // Of these only lists of exports are left, and a bundler sees through them.
  const lists = Object.values(SHARED).flat();
  const entryOf = (source: string) =>
    Object.entries(ENTRIES).find(([, path]) => path === source && !lists.includes(path))?.[0];
  const libraryFile = (source: string) => commonjs.fileWith(source) ?? entryOf(source);
  return [
    {
      entry: ENTRIES,
      format: ['esm', 'cjs'],
      // For programs that are compiled without the types of `Symbol.dispose`.
      dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' },
    },
    {
      ...COMMON,
      entry: { ...ENTRIES, ...modules.shared, cli: 'src/cli/main.ts' },
      format: 'esm',
      esbuildPlugins: [importsOf((source) => modules.fileWith(source, './', '.js')), loader],
      onSuccess: async () => {
        for (const name of [...MODULES, 'clickhouse']) copyFileSync(`build/${name}.wasm`, `dist/${name}.wasm`);
        await writeForWorkerd();
      },
    },
    {
      ...COMMON,
      entry: { ...ENTRIES, ...commonjs.shared },
      format: 'cjs',
      esbuildPlugins: [importsOf((source) => commonjs.fileWith(source, './', '.cjs')), loader],
      onSuccess: async () => writeFileSync('dist/index.cjs', await lazyModule(ENTRIES.index, commonjs.shared, FIRST)),
    },
    {
      // A thread starts a third sooner from CommonJS. What it loads later, it loads by `require`: see commandLine.
      target: TARGET,
      entry: { 'shardbits-worker': 'src/node/threads/worker.ts' },
      format: 'cjs',
      splitting: false,
      esbuildOptions: (options) => {
        options.supported = { 'dynamic-import': false };
      },
      esbuildPlugins: [importsOf((source) => libraryFile(source) && `./${libraryFile(source)}.cjs`)],
    },
    await commandLine(libraryFile),
  ];
});
