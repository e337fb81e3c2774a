// Compiles the modules (build/NAME.wasm, and NAME.wat for reading) and embeds each as hexadecimal in a TypeScript module,
// so that one package works wherever ES modules do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

mkdirSync('build', { recursive: true });
await compile('core', 'assembly/index.ts');
await compile('records', 'assembly/records/index.ts');
await compile('partitioners', 'assembly/partitioners/index.ts');

async function compile(name, source) {
  const { error } = await asc.main([source, '--config', 'asconfig.json', '--target', name], {
    stdout: process.stdout,
    stderr: process.stderr,
  });
  if (error) process.exit(1);

  const code = readFileSync(`build/${name}.wasm`);
  const version = versionOf(code);
  // An empty custom section, which engines ignore. Its name is the version.
  const bytes = Buffer.concat([code, Buffer.from([0, 1 + version.length, version.length]), Buffer.from(version)]);
  writeFileSync(`build/${name}.wasm`, bytes);
  const constant = name.toUpperCase();
  writeFileSync(
    `src/kernels/wasm/${name}.generated.ts`,
    [
      '// Made from assembly/ by `npm run build:wasm`.',
      `export const ${constant}_VERSION = '${version}';`,
      `export const ${constant}_WASM_HEX = '${bytes.toString('hex')}';\n`,
    ].join('\n'),
  );
}

/** A text that changes with the code: its FNV-1a hash in hexadecimal. */
function versionOf(code) {
  const hash = code.reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), -2128831035);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
