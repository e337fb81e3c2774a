import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { importsOf, inspector, loader } from './src/build.js';

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

/** What entries and the command line share beside the core, and package.json does not export. */
const GUESS = { guess: 'src/guess/index.ts' };

/** Entries that need Node, or packages that do; and ids, which has no WebAssembly. */
const NOT_IN_WORKERD = ['ids', 'node', 'sets', 'duckdb', 'sqlite-functions', 'stores-etcd', 'stores-sqlite'];

/** Modules of WebAssembly that programs use. One more runs in ClickHouse. */
const MODULES = ['core', 'records', 'partitioners'];

const COMMON: Options = {
  target: 'es2022',
  splitting: true,
  treeshake: true, // and Rollup makes the CommonJS: esbuild has no chunks for it, and sucrase breaks `a ?? (yield b)`
  noExternal: ['@assemblyscript/loader', /^@noble\/hashes/], // installing shardbits installs nothing else
};

/** The source files that a program loads with one of them. */
async function sourcesOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
  });
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('src/'));
}

/** All that `shardbits` itself consists of is one file, which all entries share: ten files take 8 ms longer to start. */
async function coreOf(entry: string) {
  const sources = (await sourcesOf(entry)).filter((path) => path !== entry);
  // The text of the WebAssembly module comes first: it would part the code for gzip, which looks back 32 KB.
  sources.sort((a, b) => Number(b.endsWith('.generated.ts')) - Number(a.endsWith('.generated.ts')));
  const core = 'build/core.ts';
  writeFileSync(core, sources.map((path) => `export * from '../${path.slice(0, -2)}js';\n`).join(''));
  return { core, fileWith: (source: string) => (source === core || sources.includes(source) ? 'core' : undefined) };
}

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
  const { core, fileWith } = await coreOf(ENTRIES.index);
  const entryOf = (source: string) => Object.entries({ ...ENTRIES, ...GUESS }).find(([, path]) => path === source)?.[0];
  return [
    {
      entry: ENTRIES,
      format: ['esm', 'cjs'],
      // For programs that are compiled without the types of `Symbol.dispose`.
      dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' },
    },
    {
      ...COMMON,
      entry: { ...ENTRIES, ...GUESS, core },
      format: 'esm',
      esbuildPlugins: [importsOf(fileWith, 'js'), loader],
      onSuccess: async () => {
        for (const name of [...MODULES, 'clickhouse']) copyFileSync(`build/${name}.wasm`, `dist/${name}.wasm`);
        await writeForWorkerd();
      },
    },
    {
      ...COMMON,
      entry: { ...ENTRIES, ...GUESS, core, 'shardbits-worker': 'src/node/threads/worker.ts' }, // a thread starts a third sooner from CommonJS
      format: 'cjs',
      esbuildPlugins: [importsOf(fileWith, 'cjs'), loader],
    },
    {
      ...COMMON,
      entry: { cli: 'src/cli/main.ts' },
      format: 'esm',
      noExternal: ['commander', 'cli-progress'],
      minify: true,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }, // for both
      esbuildPlugins: [importsOf(entryOf, 'js'), inspector],
    },
  ];
});
