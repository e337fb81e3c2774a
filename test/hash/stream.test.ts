import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Xxh64, xxh64 } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { randomBytes } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';

onBothBackends('Xxh64 hashes what it has been given, however it was cut', (kernels) => {
  const data = randomBytes(300);
  const SEED = 42n;

  it('in two parts, wherever 300 bytes are cut', () => {
    const whole = xxh64(data, SEED);
    for (let cut = 0; cut <= data.length; cut++) {
      const stream = new Xxh64(SEED).update(data.subarray(0, cut)).update(data.subarray(cut));
      expect(stream.digest(), `cut at ${cut}`).toBe(whole);
    }
  });

  it('in two parts, wherever any shorter length is cut', () => {
    const wrong: string[] = [];
    for (let length = 0; length <= 100; length++) {
      const whole = xxh64(data.subarray(0, length), SEED);
      for (let cut = 0; cut <= length; cut++) {
        const stream = new Xxh64(SEED).update(data.subarray(0, cut)).update(data.subarray(cut, length));
        if (stream.digest() !== whole) wrong.push(`${length} cut at ${cut}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('also in arrays of a class of its own, which makes others of what it is asked for', () => {
    class Zeros extends Uint8Array {
      constructor(length: number) {
        super(Math.max(length, 0));
      }
    }
    const stream = new Xxh64().update('abc').update(new Zeros(100));
    expect(stream.digest()).toBe(xxh64(Uint8Array.of(97, 98, 99, ...new Uint8Array(100))));
  });

  it('in three parts', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200, size: 'max' }),
        fc.nat(200),
        fc.nat(200),
        fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }),
        (bytes, a, b, seed) => {
          const [first, second] = [Math.min(a, b), Math.max(a, b)];
          const stream = new Xxh64(seed);
          for (const part of [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]) {
            stream.update(part);
          }
          expect(stream.digest()).toBe(xxh64(bytes, seed));
        },
      ),
    );
  });

  it('in many parts, strings among them', () => {
    const part = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.string({ maxLength: 40, unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const stream = new Xxh64(SEED);
        for (const each of parts) stream.update(each);
        expect(stream.digest()).toBe(
          xxh64(Uint8Array.from(parts.flatMap((each) => [...(typeof each === 'string' ? utf8(each) : each)])), SEED),
        );
      }),
    );
  });

  it('byte by byte, with a digest and its text at every length', () => {
    const stream = new Xxh64(SEED);
    for (let length = 0; length < data.length; length++) {
      const expected = xxh64(data.subarray(0, length), SEED);
      expect(stream.digest()).toBe(expected);
      expect(stream.digestHex()).toBe(expected.toString(16).padStart(16, '0'));
      stream.update(data.subarray(length, length + 1));
    }
  });

  it('in parts longer than any internal piece', () => {
    const long = randomBytes(900_000);
    const whole = xxh64(long);
    for (const cut of IS_WHOLE || kernels === wasm ? [1, 31, 262_143, 262_144, 262_145, 600_000] : [262_145]) {
      expect(new Xxh64().update(long.subarray(0, cut)).update(long.subarray(cut)).digest(), `${cut}`).toBe(whole);
    }
  });

  it('with empty parts anywhere', () => {
    const stream = new Xxh64(SEED).update('').update(new Uint8Array());
    stream.update(data.subarray(0, 40)).update('').update(data.subarray(40)).update(new ArrayBuffer());
    expect(stream.digest()).toBe(xxh64(data, SEED));
  });

  it('as it was when it was given: later changes to the bytes do not count', () => {
    const part = randomBytes(45);
    const expected = xxh64(part);
    const stream = new Xxh64().update(part);
    part.fill(0);
    expect(stream.digest()).toBe(expected);
  });
});

onBothBackends('an Xxh64', (kernels) => {
  const data = randomBytes(100);

  it('gives the same digest however often it is asked', () => {
    const stream = new Xxh64(1n).update(data);
    expect([stream.digest(), stream.digest(), stream.digest()]).toEqual(new Array(3).fill(xxh64(data, 1n)));
  });

  it('returns itself from update and reset', () => {
    const stream = new Xxh64();
    expect(stream.update('a')).toBe(stream);
    expect(stream.reset()).toBe(stream);
  });

  it('pads its text with zeros to 16 digits', () => {
    // The first number whose digest begins with two zero digits.
    let text = '';
    for (let i = 0; xxh64(text) >> 56n !== 0n; i++) text = String(i);
    const hex = new Xxh64().update(text).digestHex();
    expect(hex).toMatch(/^00[0-9a-f]{14}$/);
    expect(BigInt(`0x${hex}`)).toBe(xxh64(text));
  });

  it('leaves a clone alone, and is left alone by it', () => {
    for (const before of [0, 7, 32, 45, 64]) {
      const stream = new Xxh64(9n).update(data.subarray(0, before));
      const copy = stream.clone();
      expect(copy).toBeInstanceOf(Xxh64);
      stream.update('left');
      copy.update('right');
      expect(stream.digest()).toBe(new Xxh64(9n).update(data.subarray(0, before)).update('left').digest());
      expect(copy.digest()).toBe(new Xxh64(9n).update(data.subarray(0, before)).update('right').digest());
      stream.reset(1n);
      expect(copy.digest()).toBe(new Xxh64(9n).update(data.subarray(0, before)).update('right').digest());
      expect(copy.reset().digest()).toBe(xxh64('', 9n));
    }
  });

  it('starts again with its own seed, or with the one that it is given from then on', () => {
    const stream = new Xxh64(5n).update(data);
    expect(stream.reset().digest()).toBe(xxh64('', 5n));
    expect(stream.update(data).digest()).toBe(xxh64(data, 5n));
    expect(stream.reset(6n).update(data).digest()).toBe(xxh64(data, 6n));
    expect(stream.reset().update(data).digest()).toBe(xxh64(data, 6n));
    expect(stream.reset(0n).update(data).digest()).toBe(xxh64(data));
    expect(stream.clone().reset().update('a').digest()).toBe(xxh64('a'));
  });

  it('does not disturb other streams, nor hashes taken in between', () => {
    const between = 'x'.repeat(IS_WHOLE || kernels === wasm ? 300_000 : 300); // WebAssembly makes a stream of long ones
    const streams = [1n, 2n, 3n].map((seed) => new Xxh64(seed));
    for (let at = 0; at < data.length; at += 7) {
      for (const stream of streams) {
        stream.update(data.subarray(at, at + 7));
        xxh64(between);
      }
    }
    expect(streams.map((stream) => stream.digest())).toEqual([1n, 2n, 3n].map((seed) => xxh64(data, seed)));
  });
});
