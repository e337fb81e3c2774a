import { checkInteger, wordsOf, wrongKind, wrongValue } from '../../arguments.js';
import { md5 } from '../../kernels/js/md5.js';
import { hashersOf } from '../hash.js';
import { Bounds, type System } from '../system.js';

/** Either the number of shards of equal size, or where all open shards start. */
export interface KinesisOptions {
  /** The number of shards, 1 to 100000. */
  shards?: number | undefined;
  /** The `StartingHashKey` of every open shard, ascending, as decimal text. The first one is `'0'`. */
  startingHashKeys?: readonly string[] | undefined;
}

const MAX_SHARDS = 100_000;

/**
 * The shards of a stream of Amazon Kinesis Data Streams, in the order of their hash keys, which are MD5 as integers of 128
 * bits. The shards of a new stream are equally long, but the last one also has the remainder.
 * Source: the API reference of PutRecord; mhart/kinesalite `actions/putRecord.js` and `actions/util.createShards.js`.
 */
export const kinesis: System<KinesisOptions> = {
  options: ['shards', 'startingHashKeys'],
  count: 'shards',
  configure({ shards, startingHashKeys }) {
    if ((shards === undefined) === (startingHashKeys === undefined)) {
      const name = startingHashKeys === undefined ? 'shards' : 'startingHashKeys';
      throw wrongKind(name, 'either "shards" or "startingHashKeys"', startingHashKeys);
    }
    const starts =
      startingHashKeys === undefined
        ? equalStarts(checkInteger('shards', shards, 1, MAX_SHARDS))
        : checkStarts(startingHashKeys);
    const later = starts.slice(1);
    const high = BigUint64Array.from(later, (start) => start >> 64n);
    const highWords = wordsOf(high);
    const bounds = new Bounds(high);

    /** The shard of a hash key that begins like the start of the shard after `shard`. */
    function compareAll(shard: number, bytes: Uint8Array): number {
      const digest = md5(bytes, 0, bytes.length);
      const hashKey = (digest.getBigUint64(0) << 64n) | digest.getBigUint64(8);
      while (shard < later.length && later[shard] <= hashKey) shard++;
      return shard;
    }

    return {
      shards: starts.length,
      hashers: hashersOf('md5High'),
      tokens: 'u64',
      toShard: { column: (tokens: BigUint64Array, indices) => bounds.countBelow(tokens, 0, indices) },
      settle(tokens: BigUint64Array, indices, bytesOf) {
        const words = wordsOf(tokens);
        for (let i = 0; i < indices.length; i++) {
          const at = 2 * indices[i];
          if (words[2 * i + 1] !== highWords[at + 1] || words[2 * i] !== highWords[at]) continue;
          indices[i] = compareAll(indices[i], bytesOf(i));
        }
      },
      json: startingHashKeys === undefined ? { shards } : { startingHashKeys: starts.map(String) },
    };
  },
};

function equalStarts(shards: number): bigint[] {
  const size = 2n ** 128n / BigInt(shards);
  return Array.from({ length: shards }, (_, i) => size * BigInt(i));
}

function checkStarts(texts: readonly string[]): bigint[] {
  const name = 'startingHashKeys';
  if (!Array.isArray(texts)) throw wrongKind(name, 'an array of decimal integers as text', texts);
  if (texts.length === 0) throw wrongValue(name, 'at least one hash key', texts);
  let previous = -1n;
  return Array.from(texts, (text: string, row) => {
    if (typeof text !== 'string') throw wrongKind(name, 'a decimal integer as text', text, row);
    const start = /^\d{1,39}$/.test(text) ? BigInt(text) : 2n ** 128n;
    if (start >> 128n !== 0n) throw wrongValue(name, 'a decimal integer from 0 to 2^128 - 1', text, row);
    if (row === 0 && start !== 0n) throw wrongValue(name, 'a first hash key of 0', text, row);
    if (start <= previous) throw wrongValue(name, `a hash key above ${previous}`, text, row);
    previous = start;
    return start;
  });
}
