import { describe, expect, it } from 'vitest';
import { StoreCorruptError } from '../../src/registry/index.js';
import { newHashKey, sipHashes } from '../../src/registry/stores/shared/string-hashes.js';
import { onBothBackends } from '../support/backends.js';
import { SIP_HASH_KEY, SIP_HASHES_64, SIP_HASHES_128, sipHashMessage } from '../vectors/sip-hash.js';

const KEY = Buffer.from(SIP_HASH_KEY).toString('hex');
const MESSAGES = SIP_HASHES_64.map((_, i) => sipHashMessage(i));

onBothBackends('the hashes by which stores find strings', () => {
  it('are SipHash-2-4 in 64 bits', () => {
    const hashes = new BigInt64Array(sipHashes(MESSAGES, KEY, 1));
    expect(Array.from(hashes)).toEqual(SIP_HASHES_64.map((hex) => Buffer.from(hex, 'hex').readBigInt64LE()));
    expect(sipHashes([], KEY, 1).byteLength).toBe(0);
  });

  it('are SipHash-2-4 in 128 bits', () => {
    expect(Buffer.from(sipHashes(MESSAGES, KEY, 2)).toString('hex')).toBe(SIP_HASHES_128.join(''));
    expect(sipHashes([], KEY, 2).byteLength).toBe(0);
  });

  it.each(['', 'abc', `${KEY}00`, KEY.replace('0f', '0g'), KEY.toUpperCase()])('need a whole key: %j', (key) => {
    for (const width of [1, 2] as const) expect(() => sipHashes(['a'], key, width)).toThrow(StoreCorruptError);
  });
});

describe('a new key', () => {
  it('is random, and 32 digits', () => {
    const keys = Array.from({ length: 100 }, newHashKey);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(100);
  });
});
