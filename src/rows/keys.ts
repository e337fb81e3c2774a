import { checkOneOf, wrongValue } from '../arguments.js';
import { detailsOf } from '../errors.js';
import { type Kernels, PIECE_ROWS, type Spans, type TextFormat } from '../kernels/types.js';
import { type Abilities, abilitiesOf, isTransferable, type Routing, shardsOf } from '../routing/routing.js';
import { type Batch, bytesColumnOf, KeyError, shownText } from './batch.js';
import type { RecordFormat } from './format.js';

/** The key in a line: its bytes, or a u64 in decimal, or a negative integer from -2^63 on, which has the same bits as a u64. */
export type LineKeys = 'text' | 'u64';

export interface LineHashOptions {
  keys: LineKeys;
  /** With `none`, a u64 key is its own hash. */
  hash: 'xxh64' | 'none';
  seed: bigint;
}

/** Checks the kind of keys in lines or records, and their hash. */
export function checkHashed(keys: LineKeys, hash: LineHashOptions['hash'], records?: RecordFormat): void {
  checkOneOf('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
  // Several columns are joined to a text.
  if (keys === 'u64' && isCompound(records)) throw wrongValue('keys', "'text' with several columns as a key", keys);
}

function isCompound(records: RecordFormat | undefined): boolean {
  return Array.isArray(records?.key) && records.key.length > 1;
}

/** The kind of keys in lines. A partitioner has its own; for other routings it is an option, `text` by default. */
export function checkLineKeys(routing: Routing<any>, keys?: LineKeys, records?: RecordFormat): LineKeys {
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
  const kind = keys === undefined ? 'text' : keys;
  checkHashed(kind, hashing?.hash ?? 'xxh64', records);
  return kind;
}

/**
 * Hashes batches of lines.
 * @param format how ids are written that are u64s; undefined for keys, which may be negative
 * @returns a function that gives lines with their hashes, valid until its next call. It throws a KeyError, with the number
 *   of the line, if an id or a u64 key is not one
 */
export function lineHasher(
  kernels: Kernels,
  { keys, hash, seed }: LineHashOptions,
  format?: TextFormat,
): (lines: Batch) => Batch {
  const column = kernels.column('u64', PIECE_ROWS);
  return (lines) => {
    const hashed = lines.with({ hashes: column });
    const { hashes } = hashed;
    if (keys === 'text') {
      kernels.xxh64SpanColumn(lines.keys, seed, hashes);
      return hashed;
    }
    const bad =
      format === undefined ? parseKeys(kernels, lines.keys, hashes) : kernels.parseSpans(lines.keys, format, hashes);
    if (bad >= 0) throw new KeyError(lines, bad, idIn(format));
    if (hash === 'xxh64') kernels.xxh64U64Column(hashes, seed, hashes);
    return hashed;
  };
}

/** Parses integers in decimal as u64s of the same bits. @returns the first row that is none, or -1 */
function parseKeys(kernels: Kernels, { data, starts, ends }: Spans, out: BigUint64Array): number {
  for (let from = 0; from < out.length; from++) {
    const rows = { data, starts: starts.subarray(from), ends: ends.subarray(from) };
    const bad = kernels.parseSpans(rows, 'dec', out.subarray(from));
    if (bad < 0) break;
    from += bad;
    const text = shownText(data.subarray(starts[from], ends[from]));
    if (!/^-[0-9]{1,19}$/.test(text) || BigInt(text) < -(2n ** 63n)) return from;
    out[from] = BigInt(text);
  }
  return -1;
}

/** What is expected of a line, for an error message. */
function idIn(format: TextFormat | undefined): string {
  if (format === undefined) return 'a decimal integer from -2^63 to 2^64 - 1';
  return format === 'dec' ? 'a decimal integer from 0 to 2^64 - 1' : `an integer from 0 to 2^64 - 1 in ${format}`;
}

/**
 * Routes batches of lines. For a Router, the hashes never leave the kernels' memory.
 * @param argument the caller's name for the routing
 * @param missing the shard of records without a key, if they are kept
 * @returns a function that gives lines with their shards, valid until its next call. It throws a LineError if a line is not
 *   a key of the right kind
 */
export function lineRouter(
  kernels: Kernels,
  routing: Routing<any>,
  keys: LineKeys,
  argument = 'router',
  missing = 0,
): (lines: Batch) => Batch {
  const { hashing, routeText } = abilitiesOf(routing);
  const { hash, seed } = hashing ?? { hash: 'none', seed: 0n };
  const isHashed = hashing !== undefined || (keys === 'u64' && !routeText);
  const hashed = isHashed ? lineHasher(kernels, { keys, hash, seed }) : undefined;
  const ofKeys = hashing?.ofHashes() ?? routing;
  const column = kernels.column('u32', PIECE_ROWS);
  return (lines) => {
    if (lines.areKeysMissing) {
      const all = lines.with({ shards: column });
      all.shards.fill(missing);
      return all;
    }
    const routed = (hashed?.(lines) ?? lines).with({ shards: column });
    if (routeText) routeTexts(routeText, routed);
    else if (isTransferable(ofKeys)) ofKeys.routeMany(routed.hashes, { out: routed.shards });
    else {
      // A copy, because the user's code may make the kernels' memory grow.
      const keys = hashed ? routed.hashes.slice() : bytesColumnOf(routed.keys);
      const shards = shardsOf(ofKeys, keys, undefined, argument);
      routed.shards.set(shards);
    }
    return routed;
  };
}

function routeTexts(routeText: NonNullable<Abilities['routeText']>, lines: Batch): void {
  try {
    routeText(lines.keys, lines.shards);
  } catch (error) {
    const { row, expected } = detailsOf(error);
    throw row === undefined || expected === undefined ? error : new KeyError(lines, row, expected);
  }
}
