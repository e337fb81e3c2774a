import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { build as bundle } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { buildPage } from './src/inspector/build.js';

const common: Options = {
  target: 'es2022',
  splitting: true, // one copy of the active backend, whichever entries are loaded, in CJS too
  treeshake: true,
};

const entries = {
  index: 'src/index.ts',
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
  'stores/etcd': 'src/registry/stores/etcd/store.ts',
  'stores/postgres': 'src/registry/stores/postgres/store.ts',
  'stores/sqlite': 'src/registry/stores/sqlite/store.ts',
};

/** Installing shardbits installs nothing else. */
const BUNDLED = ['@assemblyscript/loader', /^@noble\/hashes/];

/** Entries that need Node, or packages that do. */
const NOT_IN_WORKERD = ['node', 'sets', 'duckdb', 'sqlite-functions', 'stores/etcd', 'stores/sqlite'];

/** Of WebAssembly. */
const MODULES = ['core', 'records', 'partitioners'];
/** It runs in ClickHouse, and no program loads it. */
const FOREIGN_MODULES = ['clickhouse'];

/** The files of src/ that one of them imports, itself among them. */
async function filesOf(entry: string): Promise<string[]> {
  const { metafile } = await bundle({ entryPoints: [entry], bundle: true, write: false, metafile: true });
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('src/') && path !== entries.index);
}

/** Makes some files of src/ into one of dist/, which all entries share, and so for each of several parts. */
function shared(
  folder: string,
  parts: Readonly<Record<string, readonly string[]>>,
): Omit<Options, 'entry'> & { entry: Record<string, string> } {
  const madeOf = (part: string) => join('build', folder, `${part}.ts`);
  const partOf = (path: string) =>
    Object.keys(parts).find((part) => [...(parts[part] ?? []), madeOf(part)].includes(path));
  mkdirSync(join('build', folder), { recursive: true });
  for (const [part, files] of Object.entries(parts)) {
    // The text of the WebAssembly module comes first, as it would part the code for gzip, which looks back 32 KB.
    const isModule = (path: string) => path.endsWith('.generated.ts');
    const lines = [...files]
      .sort((a, b) => Number(isModule(b)) - Number(isModule(a)))
      .map((path) => `export * from '../../${path.replace(/ts$/, 'js')}';\n`);
    writeFileSync(madeOf(part), lines.join(''));
  }
  return {
    entry: Object.fromEntries(Object.keys(parts).map((part) => [part, madeOf(part)])),
    plugins: [
      {
        name: 'where the shared files are',
        renderChunk: (code, { path }) => {
          const to = path.includes('/workerd/') ? 'dist/workerd' : 'dist';
          const at = (part: string) => relative(dirname(path), join(to, part + extname(path))).replace(/^(?!\.)/, './');
          return { code: code.replaceAll(/(['"])#([a-z-]+)\1/g, (_, quote, part) => quote + at(part) + quote) };
        },
      },
    ],
    esbuildPlugins: [
      {
        name: 'imports of the shared files',
        setup: (build) =>
          build.onResolve({ filter: /^\.\.?\// }, ({ importer, kind, resolveDir, path }) => {
            if (kind === 'entry-point') return undefined;
            const from = partOf(relative('.', importer));
            const to = partOf(relative('.', join(resolveDir, path.replace(/js$/, 'ts'))));
            return to === undefined || to === from ? undefined : { path: `#${to}`, external: true };
          }),
      },
    ],
  };
}

// A start takes 8 ms longer from ten files than from one. CommonJS can do better: of what `shardbits` exports, only the
// hashes are loaded at once, which saves 1.5 ms of 6.
const core = await filesOf(entries.index);
const hashing = await filesOf('src/hash/xxh64.ts');
const esm = shared('esm', { core });
const cjs = shared('cjs', { core: hashing, 'core-rest': core.filter((path) => !hashing.includes(path)) });

/** Has `require('shardbits')` load the rest of the core when something of it is first asked for. */
function loadRestLazily(): void {
  const eager = readFileSync('dist/index.cjs', 'utf8');
  const [line, name, rest] = /^var (\w+) = (require\('\.\/core-rest\.cjs'\));\n/m.exec(eager) ?? [];
  if (line === undefined) throw new Error('dist/index.cjs does not require the rest of the core');
  const [head, uses] = eager.split(line) as [string, string];
  // Kept, as `require` takes 0.5 us each time.
  const lazily = `var rest;\nfunction loaded() {\n  return rest ??= ${rest};\n}\n`;
  writeFileSync('dist/index.cjs', head + lazily + uses.replaceAll(`${name}.`, 'loaded().'));
}

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

export default defineConfig([
  // For programs that are compiled without the types of `Symbol.dispose`.
  { entry: entries, format: ['esm', 'cjs'], dts: { only: true, banner: '/// <reference lib="esnext.disposable" />' } },
  {
    ...common,
    ...esm,
    entry: { ...entries, ...esm.entry },
    format: ['esm'],
    noExternal: BUNDLED,
    onSuccess: async () => {
      for (const module of [...MODULES, ...FOREIGN_MODULES])
        copyFileSync(`build/${module}.wasm`, `dist/${module}.wasm`);
    },
  },
  {
    ...common,
    ...cjs,
    entry: { ...entries, ...cjs.entry },
    format: ['cjs'],
    noExternal: BUNDLED,
    onSuccess: async () => loadRestLazily(),
  },
  {
    ...common,
    ...cjs,
    // A thread starts a third sooner from CommonJS.
    entry: { worker: 'src/node/threads/worker.ts' },
    format: ['cjs'],
    noExternal: BUNDLED,
  },
  {
    ...common,
    ...esm,
    // Cloudflare's workerd compiles WebAssembly that a file of the program imports, and no other. All that share
    // the core or its errors are made for it, so that there are not two.
    entry: Object.fromEntries(
      Object.entries({ ...entries, ...esm.entry }).filter(([name]) => !NOT_IN_WORKERD.includes(name)),
    ),
    outDir: 'dist/workerd',
    format: ['esm'],
    noExternal: BUNDLED,
    external: MODULES.map((module) => `../${module}.wasm`),
    esbuildPlugins: [
      ...(esm.esbuildPlugins ?? []),
      {
        name: 'imported modules',
        setup: (build) =>
          build.onLoad({ filter: /\.generated\.ts$/ }, ({ path }) => {
            const embedded = readFileSync(path, 'utf8').replace(/'[0-9a-f]{99,}'/, 'compiled');
            return {
              contents: `import compiled from '../${basename(path, '.generated.ts')}.wasm';\n${embedded}`,
              loader: 'ts',
            };
          }),
      },
    ],
  },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    // The command line's own libraries are bundled: installing shardbits installs nothing else.
    noExternal: ['commander', 'cli-progress'],
    // cli-progress is CommonJS and requires node's modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    esbuildPlugins: [
      {
        name: 'inspector and licences',
        setup: (build) =>
          build.onEnd(async ({ metafile }) => {
            const { html, inputs } = await buildPage();
            writeFileSync('dist/inspector.html', html);
            const bundled = [...Object.keys(metafile?.inputs ?? {}), ...inputs];
            writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licensesOf(bundled));
          }),
      },
    ],
  },
]);

/** The licences of the packages that source files come from. The loader's stands in its compiler's package. */
function licensesOf(paths: readonly string[]): string {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const home = name === '@assemblyscript/loader' ? 'node_modules/assemblyscript' : folder;
    const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name}: no licence found`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(home, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
