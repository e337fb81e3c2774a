import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { RowValues } from '../../columns/keys.js';
import { insideOf, nullsOf, numbersOf, PIECE, type SqlTypeName, STRIDE, wholeOf } from '../../engines/duckdb/api.js';
import { growingBytes } from '../../kernels/active.js';
import { type Column, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import { Batch } from '../../rows/batch.js';

/** A column of a table as it comes from DuckDB: numbers as they are, anything else as text or bytes. */
export type WireColumn = { readonly args: readonly string[]; readonly types: readonly SqlTypeName[] };

export interface KeyWire extends WireColumn {
  readonly name: string;
}

// Texts of up to 12 bytes lie in a vector; a longer one is behind a pointer, which takes 0.5 us to read. So a text comes in
// pieces that DuckDB cuts on its own threads: 4 M e-mail addresses take 0.7 s less than 4 s.
const PIECES = 3;
const TEXT_TYPES = [...Array.from({ length: PIECES + 1 }, () => 'BLOB' as const), 'BIGINT' as const];

/** The pieces of a text or BLOB, all of it if it is longer than they are, and its length, which is NULL for NULL. */
export function textIn(sql: string, type: string): WireColumn {
  const own = type === 'BLOB' || type === 'VARCHAR' ? sql : `CAST(${sql} AS VARCHAR)`;
  const [some, bytes] = [`coalesce(${own}, '')`, own].map((text) => (type === 'BLOB' ? text : `encode(${text})`));
  const length = `octet_length(${bytes})`;
  const pieces = Array.from({ length: PIECES }, (_, i) => `${some}[${i * PIECE + 1}:${(i + 1) * PIECE}]`);
  const whole = `CASE WHEN ${length} > ${PIECES * PIECE} THEN ${some} ELSE ''::BLOB END`;
  return { args: [...pieces, whole, length], types: TEXT_TYPES };
}

const isText = ({ types }: WireColumn): boolean => types === TEXT_TYPES;

/** Rows are their own places. */
const ROWS = { array: Uint32Array.from({ length: PIECE_ROWS + 1 }, (_, row) => row) };

/**
 * Reads chunks of columns as batches, each valid until the next one is read.
 * @param keys the columns of the key
 * @param shard the column that says the shard of each row, if one does
 */
export function chunkReader(kernels: Kernels, keys: readonly KeyWire[], shard?: WireColumn) {
  const columns: readonly WireColumn[] = shard === undefined ? keys : [...keys, shard];
  const room = growingBytes(kernels);
  const starts = kernels.column('u32', columns.length * PIECE_ROWS);
  const ends = kernels.column('u32', columns.length * PIECE_ROWS);
  const names = keys.map(({ name }) => name);
  const places = columns.map((_, i) => columns.slice(0, i).reduce((sum, { args }) => sum + args.length, 0));

  /** @param numbers the number of each row in its file, if it is known */
  return (chunk: DuckDBDataChunk, numbers: ArrayLike<number> = ROWS.array): Batch => {
    const { rowCount } = chunk;
    const isNull = columns.map(({ args }, i) => nullsOf(chunk.getColumnVector(places[i] + args.length - 1), rowCount));
    const data = readTexts(chunk, isNull);
    const values = (i: number): RowValues['values'] => {
      if (!isText(columns[i])) return numbersOf<Int32Array>(chunk.getColumnVector(places[i]));
      return { data: data.array, ...placesOf(i, rowCount) };
    };
    const found = {
      starts,
      ends,
      shard: keys.length,
      columns: () => keys.map((_, i) => ({ values: values(i), nulls: isNull[i] })),
      nulls: eitherOf(isNull.slice(0, keys.length)),
      names,
    };
    return new Batch(rowCount, { data, starts: ROWS, ends: ROWS, found }, (row) => numbers[row]);
  };

  function placesOf(column: number, count: number) {
    const [from, to] = [column * PIECE_ROWS, column * PIECE_ROWS + count];
    return { starts: starts.array.subarray(from, to), ends: ends.array.subarray(from, to) };
  }

  /** Puts the texts of all columns one after the other. */
  function readTexts(chunk: DuckDBDataChunk, isNull: readonly (Uint8Array | undefined)[]): Column<'u8'> {
    const { rowCount } = chunk;
    let end = 0;
    for (const [i, column] of columns.entries()) {
      if (!isText(column)) continue;
      const lengths = numbersOf<BigInt64Array>(chunk.getColumnVector(places[i] + PIECES + 1));
      const words = new Int32Array(lengths.buffer, lengths.byteOffset, 2 * rowCount);
      const nulls = isNull[i];
      const { starts: from, ends: to } = placesOf(i, rowCount);
      for (let row = 0; row < rowCount; row++) {
        from[row] = end;
        if (nulls === undefined || nulls[row] === 0) end += words[2 * row];
        to[row] = end;
      }
    }
    const data = room(end + SLACK_BYTES);
    for (const [i, column] of columns.entries()) if (isText(column)) readPieces(chunk, i, data.array);
    return data;
  }

  function readPieces(chunk: DuckDBDataChunk, column: number, data: Uint8Array): void {
    const { rowCount } = chunk;
    const place = places[column];
    const { starts: from, ends: to } = placesOf(column, rowCount);
    let longest = 0;
    for (let row = 0; row < rowCount; row++) longest = Math.max(longest, to[row] - from[row]);
    // Memory of vectors that are asked for is kept until the garbage collector runs.
    const needed = Math.min(PIECES, Math.ceil(longest / PIECE));
    const pieces = Array.from({ length: needed }, (_, i) => insideOf(chunk.getColumnVector(place + i), rowCount));
    const whole = longest > PIECES * PIECE ? chunk.getColumnVector(place + PIECES) : undefined;
    for (let row = 0, inside = 0; row < rowCount; row++, inside += STRIDE) {
      const at = from[row];
      const length = to[row] - at;
      if (length > PIECES * PIECE && whole !== undefined) data.set(wholeOf(whole, row), at);
      else {
        for (let begin = 0; begin < length; begin += PIECE) {
          const piece = pieces[begin / PIECE];
          const count = Math.min(PIECE, length - begin);
          for (let i = 0; i < count; i++) data[at + begin + i] = piece[inside + i];
        }
      }
    }
  }
}

const SLACK_BYTES = 64; // some kernels read this far beyond the data

/** 1 where one of some columns is NULL. */
function eitherOf(all: readonly (Uint8Array | undefined)[]): Uint8Array | undefined {
  const [first, ...others] = all.filter((nulls) => nulls !== undefined);
  if (first === undefined || others.length === 0) return first;
  return first.map((isNull, row) => (others.some((nulls) => nulls[row] === 1) ? 1 : isNull));
}
