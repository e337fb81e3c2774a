// Compiles the kernels (build/core.wasm, and core.wat for reading) and embeds them as hexadecimal in a
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
const exports = WebAssembly.Module.exports(new WebAssembly.Module(bytes));
writeFileSync(
  'src/kernels/core.generated.ts',
  [
    '// Made from assembly/ by `npm run build:wasm`.',
    `export const CORE_SIGNATURE = ${signature(exports.map(({ name }) => name))};`,
    `export const CORE_WASM_HEX = '${bytes.toString('hex')}';\n`,
  ].join('\n'),
);

/** A number that tells lists of names apart; src/kernels/core.ts has the same. */
function signature(names) {
  return [...names.sort().join()].reduce((hash, character) => (Math.imul(hash, 31) + character.charCodeAt(0)) | 0, 0);
}
