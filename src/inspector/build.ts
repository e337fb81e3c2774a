import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { minify } from 'terser';

/**
 * The inspector in a single file, and the source files that went into it. Script and style are inlined, and nothing else
 * is allowed to run.
 */
export async function buildPage(): Promise<{ html: string; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: ['src/inspector/page/app.tsx', 'src/inspector/page/styles/index.css'],
    outdir: 'dist',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'error',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
  });
  const [bundle = '', style = ''] = outputFiles.map(({ text }) => text.trim());
  // A script ends at the first </script, also at one in a string.
  const { code = '' } = await minify(bundle, { ecma: 2020, compress: { passes: 3 } }); // 3.8 KB less than esbuild's
  const script = modulesFirst(code.trim().replaceAll('</script', '<\\/script'));
  const parts: Record<string, string> = { policy: policyFor(script, style), style, script };
  const template = readFileSync('src/inspector/page/page.html', 'utf8');
  return {
    html: template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? ''),
    inputs: Object.keys(metafile.inputs),
  };
}

/** Moves the texts of WebAssembly modules to the front. Elsewhere they part the code for gzip, which looks back 32 KB. */
function modulesFirst(script: string): string {
  const texts: string[] = [];
  const rest = script.replace(/"[0-9a-f]{4096,}"/g, (text) => `WASM_${texts.push(text)}`);
  if (texts.length === 0) throw new Error('the script has no WebAssembly module in hexadecimal');
  return `const ${texts.map((text, i) => `WASM_${i + 1}=${text}`).join(',')};${rest}`;
}

/** Nothing is loaded from anywhere, and nothing can be sent: `connect-src 'none'`. */
function policyFor(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    'worker-src blob:',
    'img-src data:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
