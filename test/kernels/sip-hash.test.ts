import { expect, it } from 'vitest';
import { bigint, wasm } from '../../src/kernels/index.js';
import { partitionerKernels } from '../../src/kernels/partitioners.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { LONG_SIP_HASHES, SIP_HASH_KEY, SIP_HASHES_64, SIP_HASHES_128, sipHashMessage } from '../vectors/sip-hash.js';

type Width = 1 | 2;

function hashed(kernels: typeof wasm, texts: readonly string[], key: Uint8Array, width: Width): BigUint64Array {
  const hashes = new BigUint64Array(texts.length * width);
  partitionerKernels(kernels).sipHashTexts(texts, key, width, hashes);
  return hashes;
}

/** Hashes as their bytes, in hexadecimal. */
function hexOf(hashes: BigUint64Array, width: Width): string[] {
  const digits = Array.from(new Uint8Array(hashes.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.match(new RegExp(`.{${16 * width}}`, 'g')) ?? [];
}

onBothBackends('SipHash-2-4', (kernels) => {
  it.each([
    [64, 1, SIP_HASHES_64],
    [128, 2, SIP_HASHES_128],
  ] as const)('has the %i bits that its authors give for messages of 0 to 63 bytes', (_, width, expected) => {
    const messages = expected.map((_, i) => sipHashMessage(i));
    expect(messages).toHaveLength(64);
    expect(hexOf(hashed(kernels, messages, SIP_HASH_KEY, width), width)).toEqual(expected);
    // In another order, rows are hashed two at a time or alone.
    const twice = messages.flatMap((message) => [message, message]);
    const pairs = expected.flatMap((hash) => [hash, hash]);
    expect(hexOf(hashed(kernels, twice, SIP_HASH_KEY, width), width)).toEqual(pairs);
    for (const [i, message] of messages.entries()) {
      expect(hexOf(hashed(kernels, [message], SIP_HASH_KEY, width), width)).toEqual([expected[i]]);
    }
  });

  it('has the bits that OpenSSL gives for longer messages', () => {
    const messages = LONG_SIP_HASHES.map(({ message }) => message);
    expect(hexOf(hashed(kernels, messages, SIP_HASH_KEY, 1), 1)).toEqual(LONG_SIP_HASHES.map(({ hash64 }) => hash64));
    expect(hexOf(hashed(kernels, messages, SIP_HASH_KEY, 2), 2)).toEqual(LONG_SIP_HASHES.map(({ hash128 }) => hash128));
  });

  it('depends on every byte of the key, which may be part of a longer array', () => {
    for (const width of [1, 2] as const) {
      const [hash] = hashed(kernels, ['a'], SIP_HASH_KEY, width);
      for (let byte = 0; byte < 16; byte++) {
        const other = SIP_HASH_KEY.map((value, i) => (i === byte ? value ^ 0x80 : value));
        expect(hashed(kernels, ['a'], other, width)[0]).not.toBe(hash);
      }
      const part = Uint8Array.of(9, ...SIP_HASH_KEY, 9).subarray(1, 17);
      expect(hashed(kernels, ['a'], part, width)[0]).toBe(hash);
    }
  });

  it('needs room for the hashes of all texts, and no more', () => {
    const { sipHashTexts } = partitionerKernels(kernels);
    for (const [width, length] of [
      [1, 1],
      [2, 2],
      [1, 4],
      [2, 5],
    ] as const) {
      expect(() => sipHashTexts(['a', 'b'], SIP_HASH_KEY, width, new BigUint64Array(length))).toThrow(RangeError);
    }
    sipHashTexts([], SIP_HASH_KEY, 2, new BigUint64Array(0));
  });
});

const KEY = randomBytes(16);

it.each<[string, () => string[]]>([
  ['20,000 short rows', () => Array.from(randomU64s(20_000), (n, row) => String(n).slice(0, row % 3))],
  ['20,000 longer rows', () => Array.from(randomU64s(20_000), (n, row) => `${n}${n}`.slice(row % 40))],
  ['text that is not ASCII', () => Array.from(randomU64s(5000), (n, row) => `${'é你😀a\0'.slice(row % 6)}${n % 7n}`)],
  ['lone surrogates', () => ['\ud800', '\udc00', 'a\udfff', '\udc00\ud800', '\ufffd']],
  ['every length up to 600', () => Array.from({ length: 600 }, (_, length) => 'xyz'.repeat(200).slice(0, length))],
  [
    'rows about as long as a piece',
    () =>
      [32, 256].flatMap((kib) =>
        ['a', 'é'].flatMap((letter) =>
          [-1, 0, 1].flatMap((more) => ['short', letter.repeat(kib * 1024 + more), '', 'b', letter]),
        ),
      ),
  ],
])('SipHash-2-4 is the same on both backends: %s', (_, make) => {
  const texts = make();
  for (const width of [1, 2] as const)
    expect(hashed(wasm, texts, KEY, width)).toEqual(hashed(bigint, texts, KEY, width));
});

it('SipHash-2-4 goes into a resident column, too', () => {
  const texts = Array.from(randomU64s(20_000), String);
  const column = wasm.column('u64', 2 * texts.length);
  partitionerKernels(wasm).sipHashTexts(texts, KEY, 2, column.array);
  expect(column.array.slice()).toEqual(hashed(bigint, texts, KEY, 2));
  column.free();
});
