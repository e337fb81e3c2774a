import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { build as bundle } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { buildPage } from './src/inspector/build.js';

const common: Options = {
  target: 'es2022',
  splitting: true, // one copy of the active backend, whichever entries are loaded, in CJS too
  treeshake: true,
  shims: true, // import.meta.url in CJS: where the worker lies
};

const entries = {
  index: 'src/index.ts',
  kernels: 'src/kernels/index.ts',
  streams: 'src/lines/index.ts',
  node: 'src/node/index.ts',
  arrow: 'src/arrow/index.ts',
  sets: 'src/sets/index.ts',
  registry: 'src/registry/index.ts',
  'stores/etcd': 'src/registry/stores/etcd.ts',
  'stores/lmdb': 'src/registry/stores/lmdb.ts',
  'stores/postgres': 'src/registry/stores/postgres.ts',
  'stores/sqlite': 'src/registry/stores/sqlite.ts',
};

// What `shardbits` is made of becomes one file, core.js, as a start takes 8 ms longer from ten. All entries share it.
const { metafile } = await bundle({ entryPoints: [entries.index], bundle: true, write: false, metafile: true });
const inCore = Object.keys(metafile.inputs).filter((path) => path.startsWith('src/') && path !== entries.index);
const CORE = 'build/core.ts';
// The text of the WebAssembly module comes first, as it would part the code for gzip, which looks back 32 KB.
const exported = ['src/kernels/core-module.ts', ...inCore.filter((path) => !path.includes('kernels/core.generated'))];
writeFileSync(CORE, exported.map((path) => `export * from '../${path.replace(/ts$/, 'js')}';\n`).join(''));

const shareCore: Options = {
  plugins: [
    {
      name: 'where the core is',
      renderChunk: (code, { path }) => {
        const folder = path.includes('/workerd/') ? 'dist/workerd' : 'dist';
        const at = relative(dirname(path), join(folder, `core${extname(path)}`)).replace(/^(?!\.)/, './');
        return { code: code.replaceAll(/(['"])#core\1/g, `'${at}'`) };
      },
    },
  ],
  esbuildPlugins: [
    {
      name: 'imports of the core',
      setup: (build) =>
        build.onResolve({ filter: /^\.\.?\// }, ({ importer, resolveDir, path }) => {
          const [from, to] = [importer, join(resolveDir, path.replace(/js$/, 'ts'))].map((each) => relative('.', each));
          const isOutside = from !== CORE && !inCore.includes(from as string);
          return isOutside && inCore.includes(to as string) ? { path: '#core', external: true } : undefined;
        }),
    },
  ],
};

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

export default defineConfig([
  {
    ...common,
    ...shareCore,
    entry: { ...entries, core: CORE, worker: 'src/node/threads/worker.ts' },
    format: ['esm', 'cjs'],
    dts: { entry: entries },
    noExternal: ['@assemblyscript/loader'],
    onSuccess: async () => copyFileSync('build/core.wasm', 'dist/core.wasm'),
  },
  {
    ...common,
    ...shareCore,
    // Cloudflare's workerd compiles WebAssembly that a file of the program imports, and no other. All that share
    // the core or its errors are made for it, so that there are not two.
    entry: Object.fromEntries(
      Object.entries({ ...entries, core: CORE }).filter(
        ([name]) => !['node', 'sets', 'stores/etcd', 'stores/lmdb', 'stores/sqlite'].includes(name),
      ),
    ),
    outDir: 'dist/workerd',
    format: ['esm'],
    noExternal: ['@assemblyscript/loader'],
    external: ['../core.wasm'],
    esbuildPlugins: [
      ...(shareCore.esbuildPlugins ?? []),
      {
        name: 'imported core',
        setup: (build) =>
          build.onResolve({ filter: /\/core-module\.js$/ }, ({ resolveDir, path }) => ({
            path: join(resolveDir, path.replace('.js', '.workerd.ts')),
          })),
      },
    ],
  },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    // The command line's own libraries are bundled: installing shardbits installs nothing else.
    noExternal: ['commander', 'cli-progress', 'fastest-levenshtein', 'papaparse'],
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
