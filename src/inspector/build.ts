import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { minify } from 'terser';

const PAGE = 'src/inspector/page';
const [APP, SHARDS, STYLE] = ['app.tsx', 'keys/shards.tsx', 'styles/index.css'].map((name) => `${PAGE}/${name}`);

/**
 * Hashes of other systems are in JavaScript alone: their WebAssembly would be 7.5 KB more of gzip. A million keys take 0.6
 * to 4 s, in a worker. The columns of layouts are left out, 1.5 KB: the page reads columns by the kernels, and no bundler
 * can leave out methods of a class. The core is without the kernels that the page has no use for, 1 KB.
 */
const replaced: readonly (readonly [module: string, by: string])[] = [
  [
    'kernels/partitioners.ts',
    "import { jsPartitioners } from './js/partitioners.js'; export const partitionerKernels = () => jsPartitioners;",
  ],
  ['layout/columns.ts', 'export const packColumns = undefined, unpackColumns = undefined;'],
  [
    'kernels/wasm/core.generated.ts',
    `export const CORE_VERSION = '', CORE_WASM = '${readFileSync('build/inspector.wasm').toString('hex')}';`,
  ],
];

const leavingOut: Plugin = {
  name: 'modules that the page does not need',
  setup: ({ onLoad }) => {
    for (const [module, contents] of replaced) {
      const path = resolve('src', module);
      onLoad({ filter: /\.ts$/ }, (file) => (file.path === path ? { contents, resolveDir: dirname(path) } : undefined));
    }
  },
};

/**
 * The inspector in a single file, and the source files that went into it. Scripts and style are inlined, and nothing else
 * is allowed to run. The script of the Shards tab lies there as text until it is needed; what both scripts need is in the
 * first one.
 */
export async function buildPage(): Promise<{ html: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [APP, SHARDS, STYLE],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'error',
    format: 'esm',
    target: 'es2022',
    // A call with the children as arguments, which is shorter than one with an object of them.
    tsconfigRaw: { compilerOptions: { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } },
    inject: ['node_modules/preact/dist/preact.mjs'],
    charset: 'utf8',
    legalComments: 'none',
    plugins: [leavingOut],
  });
  // The second script imports the first one, so esbuild makes that a chunk, and of the first entry only an import is left.
  const outputs = Object.values(metafile.outputs);
  const textOf = (entry?: string) => outputFiles[outputs.findIndex((one) => one.entryPoint === entry)].text.trim();
  if (outputs.length !== 4) throw new Error('expected one chunk that both scripts share');
  const first = modulesFirst(await minified(`const shared=${called(textOf())}`));
  const second = await minified(called(textOf(SHARDS)));
  const style = textOf(STYLE);
  const parts: Record<string, string> = { policy: policyFor([first, second], style), style, first, second };
  const template = readFileSync(`${PAGE}/page.html`, 'utf8');
  return {
    html: template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? ''),
    inputs: Object.keys(metafile.inputs),
  };
}

/** A module as the call of a function, which returns its exports; its imports are the properties of `shared`. */
function called(module: string): string {
  const body = module
    .replace(/import\{([^}]*)\}from"[^"]*";/g, (_, names: string) => `const{${names.replace(/ as /g, ':')}}=shared;`)
    .replace(
      /export\{([^}]*)\};?$/,
      (_, names: string) => `return{${names.replace(/([\w$]+) as ([\w$]+)/g, '$2:$1')}};`,
    );
  return `(()=>{${body}})()`;
}

/**
 * Terser makes 4.3 KB less of it than esbuild; what it calls unsafe is so for functions that are used as classes, and for
 * getters that do something, of which the page has none. A script ends at the first </script, also at one in a string.
 */
async function minified(script: string): Promise<string> {
  const compress = { passes: 3, unsafe: true, unsafe_arrows: true, pure_getters: true };
  const { code = '' } = await minify(script, { ecma: 2020, compress });
  return code.trim().replaceAll('</script', '<\\/script');
}

/** Moves the text of the WebAssembly module to the front. Elsewhere it parts the code for gzip, which looks back 32 KB. */
function modulesFirst(script: string): string {
  const [text] = /"[0-9a-f]{4096,}"/.exec(script) ?? [];
  if (text === undefined) throw new Error('the script has no WebAssembly module in hexadecimal');
  return `const WASM=${text};${script.replace(text, 'WASM')}`;
}

/** Nothing is loaded from anywhere, and nothing can be sent: `connect-src 'none'`. */
function policyFor(scripts: readonly string[], style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hash).join(' ')} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    'worker-src blob:',
    'img-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
