import { checkU64 } from '../arguments.js';
import { checkBytes, type Key, type KeyColumn } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { rowsOf } from '../kernels/contract.js';

/** Like `slice`, but returns a plain array even for a subclass. */
export function textRows(texts: readonly string[], from: number, to: number): readonly string[] {
  if (from === 0 && to === texts.length) return texts;
  const rows: string[] = [];
  for (let row = from; row < to; row++) rows.push(texts[row] as string);
  return rows;
}

/** Hashes one key. */
export function hashKey(argument: string, key: Key, seed: bigint): bigint {
  if (typeof key === 'string') return kernels().xxh64Text(key, seed);
  if (typeof key === 'bigint') return kernels().xxh64U64(checkU64(argument, key), seed);
  return kernels().xxh64(checkBytes(argument, key, 'a string, bytes or a bigint'), seed);
}

/** Hashes rows from..to of a column. */
export function hashRows(column: KeyColumn, from: number, to: number, seed: bigint, hashes: BigUint64Array): void {
  switch (column.kind) {
    case 'u64':
      kernels().xxh64U64Column(rowsOf(column.keys, from, to), seed, hashes);
      break;
    case 'text':
      kernels().xxh64TextColumn(textRows(column.texts, from, to), seed, hashes);
      break;
    case 'bytes': {
      const { data, starts, ends } = column.spans;
      const spans = { data, starts: rowsOf(starts, from, to), ends: rowsOf(ends, from, to) };
      kernels().xxh64SpanColumn(spans, seed, hashes);
      break;
    }
  }
}
