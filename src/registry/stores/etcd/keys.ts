import { createHash } from 'node:crypto';
import type { ICompare, IKeyValue, IRequestOp } from 'etcd3';
import { type Space, skippedSetting } from '../../store.js';

/** How many operations, or comparisons, etcd takes in a transaction by default. */
export const MAX_OPERATIONS = 128;

export const isAbsent = (key: Buffer): ICompare => ({ key, target: 'Create', result: 'Equal', create_revision: '0' });

/** Nobody has changed the key since it was read, or made it if it was absent. */
export const isUnchanged = (key: Buffer, read: Revision | undefined): ICompare => ({
  key,
  target: 'Mod',
  result: 'Equal',
  mod_revision: read?.mod_revision ?? '0',
});

/** When a key was changed. */
export type Revision = Pick<IKeyValue, 'mod_revision'>;

const bytesOf = (value: Buffer | string): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);

/** @param value undefined: the key is absent */
export function isEqual(key: Buffer, value: Buffer | string | undefined): ICompare {
  return value === undefined ? isAbsent(key) : { key, target: 'Value', result: 'Equal', value: bytesOf(value) };
}

export const get = (key: Buffer): IRequestOp => ({ request_range: { key } });

export function put(key: Buffer, value: Buffer | string, lease = '0'): IRequestOp {
  return { request_put: { key, value: bytesOf(value), lease } };
}

export const remove = (key: Buffer): IRequestOp => ({ request_delete_range: { key } });

// Longer strings are found by their digest and compared in full.
const MAX_KEY = 1024;

// Shard numbers go up to 2^20. With this many digits, keys sort as the numbers do.
const SHARD_DIGITS = 7;

/** The keys of a store in etcd. etcdctl can read them. */
export class EtcdKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Ranges of which one has a key if the store has any content. Another store may have a prefix that goes on after ours. */
  contents(): (readonly [Buffer, Buffer])[] {
    return [under(`${this.#prefix}settings`), this.allKeys('strings'), this.allKeys('types'), this.allMarks()];
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

  /** The range of the strings of all ids: the first key, and the one after the last. */
  allKeys(space: Space): readonly [Buffer, Buffer] {
    return under(`${this.#prefix}${space}/key`);
  }

  /** The last number given under a prefix, in decimal, without skipped ones. */
  counter(space: Space, prefix: number): Buffer {
    return Buffer.from(`${this.#prefix}${space}/counter/${prefix}`);
  }

  allCounters(space: Space): readonly [Buffer, Buffer] {
    return under(`${this.#prefix}${space}/counter`);
  }

  setting(name: string): Buffer {
    return Buffer.from(`${this.#prefix}settings/${name}`);
  }

  /** How many numbers are skipped. */
  skipped(space: Space): Buffer {
    return this.setting(skippedSetting(space));
  }

  /** The id of the call that last set a setting. A call whose answer was lost learns from it whether it took effect. */
  setter(name: string): Buffer {
    return Buffer.from(`${this.#prefix}setters/${name}`);
  }

  /** A shard's last owner, its token and how far ids may have been minted: kept for ever. */
  mark(shard: number): Buffer {
    return Buffer.from(`${this.#prefix}shards/mark/${shardText(shard)}`);
  }

  allMarks(): readonly [Buffer, Buffer] {
    return under(`${this.#prefix}shards/mark`);
  }

  allHolders(): readonly [Buffer, Buffer] {
    return under(`${this.#prefix}shards/holder`);
  }

  /** Who holds a shard. etcd removes it when its lease ends. */
  holder(shard: number): Buffer {
    return Buffer.from(`${this.#prefix}shards/holder/${shardText(shard)}`);
  }

  /** The number of a shard from the key of its mark or holder. */
  shardOf(key: Buffer): number {
    return Number(key.subarray(-SHARD_DIGITS).toString());
  }
}

/** The decimal number at the end of a key. */
export function numberAtEnd(key: Buffer): string {
  return key.subarray(key.lastIndexOf('/') + 1).toString();
}

/** All keys in a folder. */
function under(folder: string): readonly [Buffer, Buffer] {
  return [Buffer.from(`${folder}/`), Buffer.from(`${folder}0`)]; // 0 comes after /
}

export function isLong(key: string): boolean {
  return Buffer.byteLength(key) > MAX_KEY;
}

function shardText(shard: number): string {
  return String(shard).padStart(SHARD_DIGITS, '0');
}
