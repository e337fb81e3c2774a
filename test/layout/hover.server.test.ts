// What editors show over the results of layouts, by the language service of TypeScript.
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const PROGRAM = `
import { defineLayout, type Layout, layouts } from './src/index.js';
import { layouts as idLayouts } from './src/ids/index.js';
const layout = defineLayout({ timestamp: { bits: 42, epoch: 0 }, worker: 10, entity: 54 });
declare const ids: BigUint64Array;
declare const some: Layout;
const unpacked = layout.unpack(1n);
const ofPreset = layouts.twitter.unpack(1n);
const ofIds = idLayouts.twitter.unpack(1n);
const ofSome = some.unpack(1n);
const columns = layout.unpackMany(ids);
const wide = layout.unpackMany(ids, { wide: true });
const chosen = layout.unpackMany(ids, { fields: ['worker'], out: { worker: new Uint32Array(1) } });
export const id = layout.pack({ timestamp: 1, worker: 2, entity: 3 });
export const packed = layout.packMany({ timestamp: 1, worker: 2, entity: 3 });
export const preset = layouts.pinterest;
export const idPreset = idLayouts.pinterest;
export { chosen, columns, ofIds, ofPreset, ofSome, unpacked, wide };
`;
const PATH = resolve('hover.ts'); // it need not exist

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [PATH] }, ts.sys, '.');
options.types = []; // layouts use none of Node's

const read = (path: string) => (path === PATH ? PROGRAM : ts.sys.readFile(path));
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [PATH],
  getScriptVersion: () => '',
  getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(read(path) ?? ''),
  getCurrentDirectory: () => resolve('.'),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  readFile: read,
  fileExists: (path) => path === PATH || ts.sys.fileExists(path),
});

/** What an editor shows over the first `word` of a piece of the program, on one line. */
function hoverOver(piece: string, word: string): string {
  const at = PROGRAM.indexOf(piece);
  expect(at, piece).toBeGreaterThan(0);
  const info = service.getQuickInfoAtPosition(PATH, at + piece.indexOf(word));
  return ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' ').replaceAll('<ArrayBufferLike>', '');
}

it('the program has no errors', () => {
  expect(service.getSemanticDiagnostics(PATH).map(({ messageText }) => messageText)).toEqual([]);
});

it.each([
  ['unpacked', '{ timestamp: number; worker: number; entity: bigint; }'],
  ['ofPreset', '{ timestamp: number; datacenter: number; worker: number; sequence: number; }'],
  ['ofIds', '{ timestamp: number; datacenter: number; worker: number; sequence: number; }'],
  ['ofSome', '{ [x: string]: number | bigint; }'],
  ['columns', '{ timestamp: Float64Array; worker: Uint16Array; entity: BigUint64Array; }'],
  ['wide', '{ timestamp: BigUint64Array; worker: BigUint64Array; entity: BigUint64Array; }'],
  ['chosen', '{ worker: Uint32Array<ArrayBuffer>; }'],
])('the result of unpack or unpackMany shows each field with its type: %s', (name, type) => {
  expect(hoverOver(`const ${name} =`, name)).toBe(`const ${name}: ${type}`);
});

it.each([
  ['layout.pack(', 'pack', 'worker: number | bigint; '],
  ['layout.packMany(', 'packMany', 'worker: number | bigint | FieldArray; '],
])('%s shows each field with what it takes', (piece, method, worker) => {
  const shown = hoverOver(piece, method);
  expect(shown).toContain('readonly timestamp: number | bigint | Date');
  expect(shown).toContain(`readonly ${worker}`);
});

it.each([
  ['layouts.pinterest', 'layouts', 'Layout'],
  ['idLayouts.pinterest', 'idLayouts', 'IdLayout'],
])('%s shows the fields of the preset, and %s those of all presets', (piece, all, name) => {
  const type = `${name}<{ readonly shard: 16; readonly type: 10; readonly local: 36; }>`;
  expect(hoverOver(piece, 'pinterest')).toBe(`(property) pinterest: ${type}`);
  expect(hoverOver(piece, all)).toContain(`readonly pinterest: ${type}; `);
});
