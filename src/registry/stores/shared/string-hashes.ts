import { StoreCorruptError } from '../../../errors.js';
import { kernels } from '../../../kernels/active.js';
import { partitionerKernels } from '../../../kernels/partitioners.js';

// Stores that index strings by a hash use SipHash-2-4 with a random key of their own. Nobody who does not know the key can
// choose strings that have the same hash. A secret seed of XXH64 would not do: some strings have the same XXH64 with
// nearly every seed, because the seed is only added to the accumulators.

/** The key of a store's hashes, as it is stored: 16 bytes in 32 hexadecimal digits. */
export type HashKey = string;

export const HASH_KEY_SETTING = 'hashKey';

export function newHashKey(): HashKey {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
}

/** The hashes of strings, of one or two words of 64 bits each. */
export function sipHashes(strings: readonly string[], key: HashKey, width: 1 | 2): ArrayBuffer {
  const hashes = new BigUint64Array(strings.length * width);
  partitionerKernels(kernels()).sipHashTexts(strings, bytesOf(key), width, hashes);
  return hashes.buffer;
}

// The last key: a look-up of one string would otherwise take half a microsecond more, of about 15.
let last: { readonly key: HashKey; readonly bytes: Uint8Array } | undefined;

function bytesOf(key: HashKey): Uint8Array {
  if (last?.key === key) return last.bytes;
  // Other digits would give other hashes: strings would not be found, and get second ids.
  if (!/^[0-9a-f]{32}$/.test(key)) {
    throw new StoreCorruptError("the key of the store's hashes is damaged: expected 32 hexadecimal digits");
  }
  last = { key, bytes: Buffer.from(key, 'hex') };
  return last.bytes;
}
