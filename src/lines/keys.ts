import { checkOneOf, wrongValue } from '../arguments.js';
import { detailsOf } from '../errors.js';
import { type Kernels, PIECE_ROWS, type TextFormat } from '../kernels/types.js';
import { type Abilities, abilitiesOf, isTransferable, type Routing, shardsOf } from '../routing/routing.js';
import { type Batch, bytesColumnOf, KeyError } from './batch.js';
import type { RecordFormat } from './records.js';

/** The key in a line: its bytes, or a u64 in decimal. */
export type LineKeys = 'text' | 'u64';

export interface LineHashOptions {
  keys: LineKeys;
  /** With `none`, a u64 key is its own hash. */
  hash: 'xxh64' | 'none';
  seed: bigint;
}

/** Checks the kind of keys in lines, and their hash. */
export function checkHashed(keys: LineKeys, hash: LineHashOptions['hash']): void {
  checkOneOf('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
}

/** The kind of keys in lines. A partitioner has its own; for other routings it is an option, `text` by default. */
export function checkLineKeys(routing: Routing<any>, keys?: LineKeys, records?: RecordFormat): LineKeys {
  const { routeText, hashing } = abilitiesOf(routing);
  if (routeText) {
    if (Array.isArray(records?.key) && records.key.length > 1) {
      throw wrongValue(
        'records.key',
        'one column with a partitioner, because other systems join columns differently',
        records.key,
      );
    }
    if (keys !== undefined) throw wrongValue('keys', 'undefined with a partitioner, which has its own "key"', keys);
    return 'text';
  }
  const kind = keys === undefined ? 'text' : keys;
  checkHashed(kind, hashing?.hash ?? 'xxh64');
  return kind;
}

/**
 * Hashes batches of lines.
 * @param format how u64 keys are written
 * @returns a function that gives lines with their hashes, valid until its next call. It throws a KeyError, with the number
 *   of the line, if a u64 key is not a u64
 */
export function lineHasher(
  kernels: Kernels,
  { keys, hash, seed }: LineHashOptions,
  format: TextFormat = 'dec',
): (lines: Batch) => Batch {
  const column = kernels.column('u64', PIECE_ROWS);
  return (lines) => {
    const hashed = lines.with({ hashes: column });
    const { hashes } = hashed;
    if (keys === 'text') {
      kernels.xxh64SpanColumn(lines.keys, seed, hashes);
      return hashed;
    }
    const bad = kernels.parseSpans(lines.keys, format, hashes);
    if (bad >= 0) throw new KeyError(lines, bad, idIn(format));
    if (hash === 'xxh64') kernels.xxh64U64Column(hashes, seed, hashes);
    return hashed;
  };
}

/** What is expected of a line, for an error message. */
function idIn(format: TextFormat): string {
  return format === 'dec' ? 'a decimal integer from 0 to 2^64 - 1' : `an integer from 0 to 2^64 - 1 in ${format}`;
}

/**
 * Routes batches of lines. For a Router, the hashes never leave the kernels' memory.
 * @param argument the caller's name for the routing
 * @returns a function that gives lines with their shards, valid until its next call. It throws a LineError if a line is not
 *   a key of the right kind
 */
export function lineRouter(
  kernels: Kernels,
  routing: Routing<any>,
  keys: LineKeys,
  argument = 'router',
): (lines: Batch) => Batch {
  const { hashing, routeText } = abilitiesOf(routing);
  const { hash, seed } = hashing ?? { hash: 'none', seed: 0n };
  const isHashed = hashing !== undefined || (keys === 'u64' && !routeText);
  const hashed = isHashed ? lineHasher(kernels, { keys, hash, seed }) : undefined;
  const ofKeys = hashing?.ofHashes() ?? routing;
  const column = kernels.column('u32', PIECE_ROWS);
  return (lines) => {
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
