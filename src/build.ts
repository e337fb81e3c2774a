// Plugins of esbuild for tsup.config.ts.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { buildPage } from './inspector/build.js';

/** The licences of all packages whose files were bundled so far. */
const bundled = new Set<string>();
function noteInputs(paths: readonly string[]): void {
  for (const path of paths) bundled.add(path);
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licensesOf([...bundled]));
}

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

/** Leaves imports of some source files to the file of dist/ that has them; undefined: the file is bundled as usual. */
export const importsOf = (fileWith: (source: string) => string | undefined, extension: 'js' | 'cjs'): Plugin => ({
  name: 'imports of files in dist',
  setup: ({ onResolve, onEnd }) => {
    onEnd(({ metafile }) => noteInputs(Object.keys(metafile?.inputs ?? {})));
    onResolve({ filter: /^\.\.?\// }, ({ importer, kind, resolveDir, path }) => {
      if (kind === 'entry-point') return undefined;
      const file = fileWith(relative('.', join(resolveDir, path.replace(/js$/, 'ts'))));
      if (file === undefined || file === fileWith(relative('.', importer))) return undefined;
      return { path: `./${file}.${extension}`, external: true };
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

/** Builds the page, and leaves out what commander loads for programs whose commands are files of their own: 2 ms. */
export const inspector: Plugin = {
  name: 'inspector',
  setup: ({ onEnd, onLoad, onResolve }) => {
    onResolve({ filter: /^node:child_process$/ }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '' }));
    onEnd(async () => {
      const { html, inputs } = await buildPage();
      writeFileSync('dist/inspector.html', html);
      noteInputs(inputs);
    });
  },
};
