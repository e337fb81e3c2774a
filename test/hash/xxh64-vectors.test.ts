import { expect, it } from 'vitest';
import { Xxh64, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { SANITY_HASHES, SANITY_SEED, sanityBuffer, TEXT_HASHES, U64_HASHES } from '../vectors/xxh64.js';

const hex = (hash: bigint): string => hash.toString(16).padStart(16, '0');

onBothBackends('XXH64 of known inputs', () => {
  const buffer = sanityBuffer();

  it.each(SANITY_HASHES)('$length bytes of the official buffer', ({ length, seedZero, seedPrime }) => {
    const data = buffer.subarray(0, length);
    const column = { data, offsets: Uint32Array.of(0, length) };
    for (const [seed, hash] of [
      [0n, seedZero],
      [SANITY_SEED, seedPrime],
    ] as const) {
      expect(hex(xxh64(data, seed))).toBe(hex(hash));
      expect(xxh64Many(column, { seed })).toEqual(BigUint64Array.of(hash));
      expect(new Xxh64(seed).update(data).digestHex()).toBe(hex(hash));
    }
  });

  it('takes the seed for 0 when none is given', () => {
    const [{ seedZero }] = SANITY_HASHES as [(typeof SANITY_HASHES)[number]];
    expect(xxh64('')).toBe(seedZero);
    expect(xxh64(new Uint8Array())).toBe(seedZero);
    expect(xxh64('', undefined)).toBe(seedZero);
    expect(new Xxh64().digest()).toBe(seedZero);
    expect(xxh64Many([''])).toEqual(BigUint64Array.of(seedZero));
    expect(xxh64Many([''], {})).toEqual(BigUint64Array.of(seedZero));
  });

  it.each(TEXT_HASHES.map((vector) => [vector.text.slice(0, 20), vector] as const))('"%s" with its seed', (_, {
    text,
    seed,
    hash,
  }) => {
    const data = utf8(text);
    expect(hex(xxh64(text, seed))).toBe(hex(hash));
    expect(hex(xxh64(data, seed))).toBe(hex(hash));
    expect(xxh64Many([text, '', text], { seed })[2]).toBe(hash);
    expect(new Xxh64(seed).update(text).digestHex()).toBe(hex(hash));
  });

  it.each(U64_HASHES)('the u64 $key', ({ key, hash }) => {
    expect(hex(xxh64(key))).toBe(hex(hash));
    expect(xxh64Many(BigUint64Array.of(key))).toEqual(BigUint64Array.of(hash));
    expect(xxh64Many(BigInt64Array.of(key))).toEqual(BigUint64Array.of(hash));
  });
});
