// Compiles the kernels (build/core.wasm, and core.wat for reading) and embeds them as base64 in a
// TypeScript module, so that one package works wherever ES modules do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

mkdirSync('build', { recursive: true });
const { error } = await asc.main(['assembly/index.ts', '--config', 'asconfig.json', '--target', 'release'], {
  stdout: process.stdout,
  stderr: process.stderr,
});
if (error) process.exit(1);

const bytes = readFileSync('build/core.wasm');
const base64 = bytes.toString('base64');
const names = WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map(({ name }) => name);
writeFileSync(
  'src/kernels/core.generated.ts',
  [
    '// Made from assembly/ by `npm run build:wasm`.',
    `export const CORE_EXPORTS = '${names.sort().join()}';`,
    `export const CORE_WASM_BASE64 = '${base64}';\n`,
  ].join('\n'),
);
