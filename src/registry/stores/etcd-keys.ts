import { createHash } from 'node:crypto';
import type { Space } from '../store.js';

// Longer strings are found by their digest, and compared in full.
const LONGEST_KEY = 1024;

// Of every shard number there may be, 2^20 at most: keys are then in the order of their numbers.
const SHARD_DIGITS = 7;

/** Where things are kept. Readable with etcdctl, except for what strings are made of. */
export class EtcdKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The id of a string, in decimal. */
  idOf(space: Space, key: string): Buffer {
    const place = `${this.#prefix}${space}/id/`;
    if (!isLong(key)) return Buffer.from(`${place}key/${key}`);
    return Buffer.from(`${place}sha256/${createHash('sha256').update(key).digest('hex')}`);
  }

  /** The string of an id. */
  keyOf(space: Space, id: bigint): Buffer {
    return Buffer.from(`${this.#prefix}${space}/key/${id}`);
  }

  /** The last number given of a prefix, in decimal. */
  counter(space: Space, prefix: number): Buffer {
    return Buffer.from(`${this.#prefix}${space}/counter/${prefix}`);
  }

  setting(name: string): Buffer {
    return Buffer.from(`${this.#prefix}settings/${name}`);
  }

  /** A shard's token and how far ids may have been minted: kept for ever. */
  mark(shard: number): Buffer {
    return Buffer.from(`${this.#prefix}shards/mark/${shardText(shard)}`);
  }

  /** Who holds a shard: gone with the etcd lease. */
  holder(shard: number): Buffer {
    return Buffer.from(`${this.#prefix}shards/holder/${shardText(shard)}`);
  }

  /** The number of a shard from the key of its mark or holder. */
  shardOf(key: Buffer): number {
    return Number(key.subarray(-SHARD_DIGITS).toString());
  }
}

export function isLong(key: string): boolean {
  return Buffer.byteLength(key) > LONGEST_KEY;
}

function shardText(shard: number): string {
  return String(shard).padStart(SHARD_DIGITS, '0');
}
