import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import binaryen from 'assemblyscript/binaryen';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

// A bundler keeps all methods of a class of which one is used, so the page would carry 28 KB of gzip of the library. It
// uses 17. What it does without is named here, and the page's tests run against what is left.

/** What stands for modules of which the page uses nothing, or something else. */
const INSTEAD: { readonly [module: string]: string } = {
  'kernels/partitioners':
    "import { plainPartitioners } from './plain-partitioners.js'; export const partitionerKernels = () => plainPartitioners;",
  'kernels/resident-columns':
    "export { bigintKernels as bigint } from './bigint.js'; export { wasmKernels as wasm } from './wasm.js';",
  'layout/columns': '',
  'layout/single': 'export class SingleValues {}',
  'layout/time-columns': '',
  'partitioners/encodings': '',
  'partitioners/text-rows': '',
  'partitioners/uuids': '',
};

/** Functions and methods that the page never calls, by module, and what it never reads. */
const WITHOUT: { readonly [module: string]: readonly string[] } = {
  'columns/keys': ['checkBytes', 'checkBytesColumn'],
  'kernels/active': ['bytesOf', 'notCore'],
  'kernels/bigint': ['pack', 'parseTexts', 'xxh64Digest', 'xxh64Init', 'xxh64SpanColumn', 'xxh64Update'],
  'kernels/plain-partitioners': ['hashSpans', 'hashSpansAsUnits', 'sipHashTexts'],
  // Columns of ids are left, and TEXT_COLUMN. The twin does the rest, of which there is little here.
  'kernels/wasm': [
    ...['fastRange', 'jumpHash', 'pack', 'parseTexts', 'splitMix64Column', 'xxh64', 'xxh64Digest', 'xxh64Init'],
    ...['xxh64SpanColumn', 'xxh64Text', 'xxh64TextColumn', 'xxh64U64', 'xxh64Update'],
  ],
  'kernels/wasm-instance': ['writeUnits'],
  'layout/layout': [
    ...['#checkId', 'dateOf', 'datesOf', 'expiresAt', 'from', 'pack', 'packMany', 'shardOf', 'toJSON', 'unpack'],
    'unpackMany',
  ],
  // Keys are text here.
  'partitioners/cassandra': ['bytes', 'checkRing', 'int32', 'int64', 'uuid'],
  'partitioners/clickhouse': ['bytes', 'int32', 'int64', 'intHashes', 'uuid', 'weighted'],
  'partitioners/couchbase': ['bytes'],
  'partitioners/iceberg': ['bytes', 'int32', 'int64', 'uuid'],
  'partitioners/kafka': ['bytes', 'int32', 'int64', 'uuid'],
  'partitioners/keys': ['int32Column', 'int64Column'],
  'partitioners/partitioner': ['partitionerFrom', 'route', 'toJSON'],
  'partitioners/postgres': ['bytes', 'int32', 'int64', 'uuid'],
  'partitioners/ragedb': ['bytes'],
  'partitioners/recipes': ['hashSpans', 'javaHashCodes', 'one'],
  'partitioners/redis': ['bytes'],
  'partitioners/spark': ['bytes', 'int32', 'int64'],
  'partitioners/vitess': ['bytes', 'int32', 'int64', 'startsOf'],
  'routing/router': ['from', 'toJSON'],
};

/** The core hashes texts one by one, unless one is longer than a piece of its memory. */
const TEXT_COLUMN = `
  xxh64TextColumn(texts, seed, hashes) {
    const instance = running();
    texts.forEach((text, row) => {
      const { read, written } = instance.encoder.encodeInto(text, instance.textRoom());
      const isWhole = read === text.length;
      hashes[row] = isWhole ? instance.core.xxh64(instance.slot3, written, seed) : bigintKernels.xxh64Text(text, seed);
    });
  },`;

/** Gives the page what it uses of the library. */
export const library: Plugin = {
  name: 'library',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const module = /.*[\\/]src[\\/](.*)\.ts$/.exec(path)?.[1]?.replaceAll('\\', '/') as string;
      const contents = module === 'kernels/core.generated' ? core() : (INSTEAD[module] ?? shortened(module));
      return contents === undefined ? undefined : { contents, loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/** A module without what {@link WITHOUT} says; undefined: it is used as it is. */
function shortened(module: string): string | undefined {
  const names = WITHOUT[module];
  if (names === undefined) return undefined;
  const source = without(module, names);
  if (module !== 'kernels/wasm') return source;
  return `import { bigintKernels } from './bigint.js';${source.replace('CoreKernels = {', `$& ...bigintKernels,${TEXT_COLUMN}`)}`;
}

function without(module: string, names: readonly string[]): string {
  const source = readFileSync(`src/${module}.ts`, 'utf8');
  const found = new Set<string>();
  const cuts: { from: number; to: number; instead: string }[] = [];
  const visit = (node: ts.Node): void => {
    const name = isDefinition(node) ? node.name?.getText() : undefined;
    if (name === undefined || !names.includes(name)) {
      ts.forEachChild(node, visit);
      return;
    }
    found.add(name);
    const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
    const from = whole.getStart();
    const to = whole.getEnd();
    const comma = ts.isObjectLiteralElement(node) && source[to] === ',' ? 1 : 0;
    const isExported = source.startsWith('export', from);
    cuts.unshift({ from, to: to + comma, instead: isExported ? `export const ${name} = undefined;` : '' });
  };
  visit(ts.createSourceFile(module, source, ts.ScriptTarget.Latest, true));
  for (const name of names) if (!found.has(name)) throw new Error(`src/${module}.ts has no ${name} to leave out`);
  return cuts.reduce((text, { from, to, instead }) => text.slice(0, from) + instead + text.slice(to), source);
}

type Definition = ts.FunctionDeclaration | ts.ClassElement | ts.ObjectLiteralElement | ts.VariableDeclaration;

function isDefinition(node: ts.Node): node is Definition {
  if (ts.isVariableDeclaration(node)) return ts.isSourceFile(node.parent.parent.parent);
  return ts.isFunctionDeclaration(node) || ts.isClassElement(node) || ts.isObjectLiteralElement(node);
}

/** The core without the kernels that the page does not call: 3.7 KB of gzip instead of 6.3. */
function core(): string {
  const module = binaryen.readBinary(readFileSync('build/core.wasm'));
  const used = shortened('kernels/wasm') as string;
  const names = readFileSync('src/kernels/core.ts', 'utf8').matchAll(/^ {2}(\w+)\(/gm);
  for (const [, name = ''] of names) if (!used.includes(`core.${name}(`)) module.removeExport(name);
  module.setFeatures(binaryen.Features.All);
  module.runPasses(['remove-unused-module-elements']);
  const bytes = Buffer.from(module.emitBinary()).toString('hex');
  module.dispose();
  return `export const CORE_VERSION = ''; export const CORE_WASM_HEX = '${bytes}';`;
}
