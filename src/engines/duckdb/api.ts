import type { DuckDBConnection, DuckDBDataChunk, DuckDBType, DuckDBVector } from '@duckdb/node-api';
import { detailsOf } from '../../errors.js';
import type { KeyKind } from '../../partitioners/keys.js';

// All that touches DuckDB's package. Vectors are arrays inside, which their types hide: a value at a time would take 0.5 us.

export type Api = typeof import('@duckdb/node-api');

/** The names of types that the package has as constants. */
export type SqlTypeName = { [name in keyof Api]: Api[name] extends DuckDBType ? name : never }[keyof Api];

/** @param user what needs it, for the error that names the package if it is not installed */
export async function loadApi(user: string): Promise<Api> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    const why = detailsOf(cause).message;
    throw new Error(`${user} needs the package "@duckdb/node-api": npm install @duckdb/node-api (${why})`, { cause });
  }
}

/** @throws Error that names the package if vectors are not inside as this file reads them */
export async function checkVectors(api: Api, connection: DuckDBConnection, user: string): Promise<void> {
  const query = "SELECT unnest([1, NULL, -3])::BIGINT, unnest(['', 'abc', 'abcdefghijkl'])::BLOB";
  const [chunk] = await (await connection.run(query)).fetchAllChunks();
  if (areKnown(api, chunk)) return;
  throw new Error(
    `${user} needs another version of the package "@duckdb/node-api" than the one for DuckDB ${api.version()}: the package.json of shardbits names those that are known`,
  );
}

function areKnown(api: Api, chunk: DuckDBDataChunk): boolean {
  try {
    const [numbers, texts] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
    const { 0: first, 2: third } = numbersOf<BigInt64Array>(numbers);
    const [bytes, nulls] = [insideOf(texts, 3), nullsOf(numbers, 3)];
    const areTexts =
      bytes[STRIDE] === 0x61 && bytes[2 * STRIDE + PIECE - 1] === 0x6c && wholeOf(texts, 2).length === PIECE;
    const areNulls = String(nulls) === '0,1,0' && nullsOf(texts, 3) === undefined;
    const hasEntries =
      'entryVectorAt' in api.DuckDBStructVector.prototype && 'getEntryOffset' in api.DuckDBListVector.prototype;
    return (
      first === 1n && third === -3n && areTexts && areNulls && hasEntries && asBytes(api, texts, 3).itemCount === 3
    );
  } catch {
    return false;
  }
}

/** What the types of vectors hide; some kinds of vectors have only some of it. */
interface Inside {
  readonly items: any;
  readonly dataView: DataView;
  readonly validity: { readonly data: BigUint64Array | null; readonly offset: number };
  readonly vector: Parameters<Api['DuckDBBlobVector']['fromRawVector']>[0];
  getItemBytes(row: number): Uint8Array;
  entryVectorAt(field: number): DuckDBVector;
}

const inside = (vector: DuckDBVector): Inside => vector as unknown as Inside;

/** The numbers of a vector; of dates and times, the days or microseconds. */
export const numbersOf = <A>(vector: DuckDBVector): A => inside(vector).items;

/** 1 for each row that is NULL; undefined if none is. */
export function nullsOf(vector: DuckDBVector, rows: number): Uint8Array | undefined {
  const { data, offset } = inside(vector).validity;
  if (data === null) return undefined;
  const words = new Uint32Array(data.buffer, data.byteOffset, 2 * data.length);
  const nulls = new Uint8Array(rows);
  let count = 0;
  for (let row = 0, bit = offset; row < rows; row++, bit++) {
    nulls[row] = ((words[bit >>> 5] >>> (bit & 31)) & 1) ^ 1;
    count += nulls[row];
  }
  return count > 0 ? nulls : undefined;
}

/** How far apart texts lie in a vector, each after its length, if they have at most {@link PIECE} bytes. */
export const STRIDE = 16;
export const PIECE = 12;
const LENGTH = 4;

/** The texts or bytes that lie inside a vector, {@link STRIDE} bytes apart. Longer ones are behind pointers. */
export function insideOf(vector: DuckDBVector, rows: number): Uint8Array {
  const { buffer, byteOffset } = inside(vector).dataView;
  return new Uint8Array(buffer, byteOffset + LENGTH, STRIDE * rows - LENGTH);
}

/** The bytes of a row of a vector of BLOBs, however long. */
export const wholeOf = (vector: DuckDBVector, row: number): Uint8Array => inside(vector).getItemBytes(row);

/** Texts as their bytes in UTF-8. As texts, they would lose the byte order mark that they may begin with. */
export const asBytes = (api: Api, texts: DuckDBVector, rows: number): DuckDBVector =>
  api.DuckDBBlobVector.fromRawVector(inside(texts).vector, rows);

/** Gives columns of numbers for the rows of a chunk, NULL among them. What it throws ends the query. */
export type ChunkFunction = (input: DuckDBDataChunk) => readonly ArrayLike<number | bigint>[];

/**
 * Makes a function of SQL that returns a STRUCT with the fields f0, f1, and so on. It is called in the thread of JavaScript for
 * each row once: another function than a volatile one would be called for values of a dictionary that no row has.
 */
export function registerColumns(
  { api, connection }: { readonly api: Api; readonly connection: DuckDBConnection },
  name: string,
  parameters: readonly SqlTypeName[],
  returns: readonly SqlTypeName[],
  run: ChunkFunction,
): void {
  const types: { readonly [name in SqlTypeName]: DuckDBType } = api;
  const fields = Object.fromEntries(returns.map((type, i) => [`f${i}`, types[type]]));
  connection.registerScalarFunction(
    api.DuckDBScalarFunction.create({
      name,
      parameterTypes: parameters.map((type) => types[type]),
      returnType: api.STRUCT(fields),
      specialHandling: true,
      volatile: true,
      mainFunction(_, input, output) {
        for (const [i, column] of run(input).entries()) inside(inside(output).entryVectorAt(i)).items.set(column);
        output.flush();
      },
    }),
  );
}

/** What a column of a type has as keys; undefined if that is none. */
export function kindOf(type: string): KeyKind | undefined {
  const [, name = ''] = /^([A-Z ]+)(?:\(.*\))?$/s.exec(type) ?? []; // lists of decimals end with brackets
  return name === 'ENUM' ? 'text' : TYPES[name];
}

/** The kinds of keys that columns of types have. */
export const TYPES: { readonly [type: string]: KeyKind } = {
  VARCHAR: 'text',
  JSON: 'text',
  BLOB: 'bytes',
  UUID: 'uuid',
  TINYINT: 'int8',
  SMALLINT: 'int16',
  INTEGER: 'int32',
  BIGINT: 'int64',
  UTINYINT: 'uint8',
  USMALLINT: 'uint16',
  UINTEGER: 'uint32',
  UBIGINT: 'u64',
  DECIMAL: 'decimal',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
};
