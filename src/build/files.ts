// How the files of dist/ that others share are made, and plugins of esbuild for that.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** The licences of all packages whose files were bundled so far. */
const bundledFiles = new Set<string>();
export function noteInputs(paths: readonly string[]): void {
  for (const path of paths) bundledFiles.add(path);
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licensesOf([...bundledFiles]));
}

/**
 * The licences of the packages that source files come from, and the notices that Apache's asks to pass on. The loader's stand
 * in the package of its compiler, whose standard library is in the modules of WebAssembly.
 */
function licensesOf(paths: readonly string[]): string {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const home = name === '@assemblyscript/loader' ? 'node_modules/assemblyscript' : folder;
    const files = readdirSync(home).filter((entry) => /^(licen[cs]e|notice)/i.test(entry));
    if (!files.some((file) => /^licen/i.test(file))) throw new Error(`${name}: no licence found`);
    const parts = files.sort().map((file) => readFileSync(join(home, file), 'utf8').trim());
    return `${name} ${version} (${license})\n\n${parts.join('\n\n')}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function bundled(...entryPoints: string[]): Promise<Metafile> {
  const { metafile } = await build({
    ...{ entryPoints, outdir: 'build', bundle: true, write: false, metafile: true, packages: 'external' },
    ...{ format: 'esm', external: ['node:*'] },
  });
  return metafile;
}

/** The source files that a program loads with one of them. */
export async function sourcesOf(entry: string): Promise<string[]> {
  const { inputs } = await bundled(entry);
  const sources = new Set([entry]);
  for (const source of sources) {
    for (const { path, kind, external } of inputs[source].imports) {
      if (!external && kind !== 'dynamic-import') sources.add(path);
    }
  }
  return Object.keys(inputs).filter((path) => sources.has(path)); // in an order that gzip likes
}

async function exportsOf(...sources: string[]): Promise<string[]> {
  const { outputs } = await bundled(...sources);
  return Object.values(outputs).flatMap(({ exports }) => exports);
}

/**
 * A CommonJS module with the exports of a source file. It loads some of the files that have them when one is first used.
 * @param shared the entries of the files, as {@link sharedFiles} gives them
 * @param first the files that it loads at once
 */
export async function lazyModule(
  source: string,
  shared: { readonly [file: string]: string },
  first: readonly string[],
) {
  const left = new Set(await exportsOf(source));
  const lines = ["'use strict';"];
  for (const [file, entry] of Object.entries(shared)) {
    const names = (await exportsOf(entry)).filter((name) => left.delete(name));
    const load = `require('./${file}.cjs')`;
    if (first.includes(file)) lines.push(...names.map((name) => `exports.${name} = ${load}.${name};`));
    else if (names.length > 0) {
      const loaded = file.replaceAll('-', '_');
      lines.push(`let ${loaded};`, ...names.map((name) => `later('${name}', () => (${loaded} ??= ${load}).${name});`));
      lines.push('// Node.js looks for this when an ES module imports a module of CommonJS:');
      lines.push(`0 && (module.exports = { ${names.join(', ')} });`);
    }
  }
  if (left.size > 0) throw new Error(`${source}: no file has ${[...left].join(', ')}`);
  return lines.join('\n') + LATER;
}

/**
 * Defines an export whose file is loaded when it is first read. Programs may replace it, as they may replace others. Each has
 * a function of its own: with one for all, which looks up the name, a read takes 12 ns more.
 */
const LATER = `
function later(name, get) {
  const set = (how) => Object.defineProperty(exports, name, { enumerable: true, configurable: true, ...how });
  set({ get, set: (value) => set({ value, writable: true }) });
}
`;

/**
 * Writes the entries of files that other files share: each exports all of its sources.
 * @param name a folder of build/ for them
 * @param consistsOf the sources of these are in the file, but those that a file before has
 * @param folder other sources than those in it are left out
 * @returns the entries by the names of their files, and which file has a source
 */
export async function sharedFiles(name: string, consistsOf: { readonly [file: string]: string[] }, folder: string) {
  const files = new Map<string, string>();
  const shared: { [file: string]: string } = {};
  mkdirSync(`build/${name}`, { recursive: true });
  for (const [file, sources] of Object.entries(consistsOf)) {
    const isNew = (path: string) => path.startsWith(folder) && !path.endsWith('/index.ts') && !files.has(path);
    const all = new Set<string>();
    for (const source of sources) for (const path of await sourcesOf(source)) if (isNew(path)) all.add(path);
    // The text of a WebAssembly module comes first: it would part the code for gzip, which looks back 32 KB.
    const isText = (path: string) => Number(path.endsWith('.generated.ts'));
    const paths = [...all].sort((a, b) => isText(b) - isText(a));
    const names = await exportsOf(...paths);
    const twice = names.filter((one, i) => names.indexOf(one) < i); // `export *` would leave them out
    if (twice.length > 0) throw new Error(`${file} has two exports of one name: ${twice.join(', ')}`);
    shared[file] = `build/${name}/${file}.ts`;
    writeFileSync(shared[file], paths.map((path) => `export * from '../../${path.slice(0, -2)}js';\n`).join(''));
    for (const path of [shared[file], ...paths]) files.set(path, file);
  }
  const fileWith = (source: string, before = '', after = '') => {
    const file = files.get(source);
    return file === undefined ? undefined : `${before}${file}${after}`;
  };
  return { shared, fileWith };
}

/**
 * Leaves imports of some sources and packages to files of dist/.
 * @param fileOf what files import in place of a source; undefined: it is bundled as usual
 */
export const importsOf = (fileOf: (source: string) => string | undefined): Plugin => ({
  name: 'imports of files in dist',
  setup: ({ onResolve, onEnd }) => {
    onEnd(({ metafile }) => noteInputs(Object.keys(metafile?.inputs ?? {})));
    onResolve({ filter: /^[^/]/ }, ({ importer, kind, resolveDir, path }) => {
      if (kind === 'entry-point') return undefined;
      const isSource = /^\.\.?\//.test(path);
      const file = fileOf(isSource ? relative('.', join(resolveDir, path.replace(/js$/, 'ts'))) : path);
      if (file === undefined || file === fileOf(relative('.', importer))) return undefined;
      return { path: file, external: true, sideEffects: false };
    });
  },
});

/**
 * The loader without the line that makes sure of Object.hasOwn, which Node has: `--frozen-intrinsics` refuses it. And without
 * the decoder of its strings, which nothing here has: pages of jsdom lack TextDecoder.
 */
export const loader: Plugin = {
  name: 'loader',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@assemblyscript.loader.index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace('Object.hasOwn = Object.hasOwn || ', 'void ')
        .replace('= new TextDecoder(', '= /* @__PURE__ */ new TextDecoder('),
    })),
};
