import { describe, expect, it } from 'vitest';
import { StoreCorruptError } from '../../src/registry/index.js';
import { hashes64, hashes128, newHashKey } from '../../src/registry/stores/shared/string-hashes.js';
import { onBothBackends } from '../support/backends.js';
import { SIP_HASH_KEY, SIP_HASHES_64, SIP_HASHES_128, sipHashMessage } from '../vectors/sip-hash.js';

const KEY = Buffer.from(SIP_HASH_KEY).toString('hex');
const MESSAGES = SIP_HASHES_64.map((_, i) => sipHashMessage(i));

onBothBackends('the hashes by which stores find strings', () => {
  it('are SipHash-2-4 in 64 bits, as signed integers', () => {
    const hashes = hashes64(MESSAGES, KEY);
    expect(hashes).toBeInstanceOf(BigInt64Array);
    expect(Array.from(hashes)).toEqual(SIP_HASHES_64.map((hex) => Buffer.from(hex, 'hex').readBigInt64LE()));
    expect(hashes64([], KEY)).toHaveLength(0);
  });

  it('are SipHash-2-4 in 128 bits, as bytes', () => {
    expect(Buffer.from(hashes128(MESSAGES, KEY)).toString('hex')).toBe(SIP_HASHES_128.join(''));
    expect(hashes128([], KEY)).toHaveLength(0);
  });

  it.each(['', 'abc', `${KEY}00`, KEY.replace('0f', '0g'), KEY.toUpperCase()])('need a whole key: %j', (key) => {
    for (const hash of [hashes64, hashes128]) expect(() => hash(['a'], key)).toThrow(StoreCorruptError);
  });
});

describe('a new key', () => {
  it('is random, and 32 digits', () => {
    const keys = Array.from({ length: 100 }, newHashKey);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(100);
  });
});
