// Compiles the modules (build/NAME.wasm, and NAME.wat for reading) and embeds each in a TypeScript module, as hexadecimal
// and with the type of its exports, so that one package works wherever ES modules do. Those for ClickHouse and for the
// inspector's page stay files: no program loads the first, and the page has the other in itself.
import { mkdirSync, writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

mkdirSync('build', { recursive: true });
await compile('core', 'assembly/index.ts');
await compile('records', 'assembly/records/index.ts');
await compile('partitioners', 'assembly/partitioners/index.ts');
await compile('clickhouse', 'assembly/clickhouse/index.ts', false);
await compile('inspector', 'assembly/inspector.ts', false);

async function compile(name, source, isEmbedded = true) {
  const made = {};
  const { error } = await asc.main([source, '--config', 'asconfig.json', '--target', name, '--bindings', 'raw'], {
    stdout: process.stdout,
    stderr: process.stderr,
    writeFile: (path, contents) => {
      made[path] = contents;
    },
  });
  if (error) process.exit(1);

  const code = made[`build/${name}.wasm`];
  const version = versionOf(code);
  // An empty custom section, which engines ignore. Its name is the version.
  const bytes = Buffer.concat([code, Buffer.from([0, 1 + version.length, version.length]), Buffer.from(version)]);
  writeFileSync(`build/${name}.wasm`, bytes);
  writeFileSync(`build/${name}.wat`, made[`build/${name}.wat`]);
  if (!isEmbedded) return;
  const constant = name.toUpperCase();
  writeFileSync(
    `src/kernels/wasm/${name}.generated.ts`,
    [
      '// Made from assembly/ by `node assembly/build.mjs`.',
      `export const ${constant}_VERSION = '${version}';`,
      '/** The module in hexadecimal. */',
      `export const ${constant}_WASM: string = '${bytes.toString('hex')}';`,
      '/** An i64 comes back as a signed bigint, any other integer as a signed number. */',
      `export type ${name[0].toUpperCase() + name.slice(1)}Exports = ${typeOf(made[`build/${name}.d.ts`])};\n`,
    ].join('\n'),
  );
}

/** The type of a module's exports, from the declarations that the compiler writes for its own bindings. */
function typeOf(declarations) {
  const exported = /__AdaptedExports (\{.*?\n\})/s.exec(declarations)[1];
  return exported
    .replace(/\/\*\*.*?\*\/\s*/gs, '')
    .replace(/export (?:function|const) /g, '')
    .replace(/\bboolean\b/g, 'number');
}

/** A text that changes with the code: its FNV-1a hash in hexadecimal. */
function versionOf(code) {
  const hash = code.reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), -2128831035);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
