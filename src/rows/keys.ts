import { checkOneOf, wrongValue } from '../arguments.js';
import { abilitiesOf, type Routing } from '../routing/routing.js';
import type { RecordFormat } from './format.js';

/** The key in a line: its bytes, or a u64 in decimal, or a negative integer from -2^63 on, which has the same bits as a u64. */
export type LineKeys = 'text' | 'u64';

export interface RowHashOptions {
  keys: LineKeys;
  /** With `none`, a u64 key is its own hash. */
  hash: 'xxh64' | 'none';
  seed: bigint;
}

/** Checks the kind of keys in lines or records, and their hash. */
export function checkHashed(keys: LineKeys | 'column', hash: RowHashOptions['hash'], records?: RecordFormat): LineKeys {
  checkOneOf<LineKeys | 'column'>('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
  // Several columns are joined to a text.
  if (keys === 'u64' && isCompound(records)) throw wrongValue('keys', "'text' with several columns as a key", keys);
  return keys as LineKeys;
}

function isCompound(records: RecordFormat | undefined): boolean {
  return Array.isArray(records?.key) && records.key.length > 1;
}

/** The kind of keys in lines. A partitioner has its own; for other routings it is an option, `text` by default. */
export function checkLineKeys(routing: Routing<any>, keys?: LineKeys | 'column', records?: RecordFormat): LineKeys {
  const { routeText, hashing } = abilitiesOf(routing);
  if (routeText) {
    if (isCompound(records)) {
      throw wrongValue(
        'records.key',
        'one column with a partitioner, because other systems join columns differently',
        records?.key,
      );
    }
    if (keys !== undefined) throw wrongValue('keys', 'undefined with a partitioner, which has its own "key"', keys);
    return 'text';
  }
  return checkHashed(keys === undefined ? 'text' : keys, hashing?.hash ?? 'xxh64', records);
}
