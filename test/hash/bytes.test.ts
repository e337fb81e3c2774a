import { describe, expect, it } from 'vitest';
import { type Bytes, Xxh64, xxh64 } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes } from '../support/random.js';

const BYTES = 240; // a multiple of every element size, and of the stripe plus a tail
const content = randomBytes(BYTES);

const VIEWS = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
] as const;

const copyTo = <T extends ArrayBuffer | SharedArrayBuffer>(buffer: T, at = 0): T => {
  new Uint8Array(buffer).fill(0xee);
  new Uint8Array(buffer).set(content, at);
  return buffer;
};

/** The content as every kind of bytes there is. */
function* kinds(): Generator<[string, Bytes]> {
  yield ['ArrayBuffer', copyTo(new ArrayBuffer(BYTES))];
  yield ['SharedArrayBuffer', copyTo(new SharedArrayBuffer(BYTES))];
  yield ['resizable ArrayBuffer', copyTo(new ArrayBuffer(BYTES, { maxByteLength: 1000 } as never))];
  yield ['growable SharedArrayBuffer', copyTo(new SharedArrayBuffer(BYTES, { maxByteLength: 1000 } as never))];
  yield ['Buffer', Buffer.from(content)];
  yield ['Buffer from the pool', pooled()];
  for (const View of VIEWS) {
    const count = View === DataView ? BYTES : BYTES / (View as typeof Uint8Array).BYTES_PER_ELEMENT;
    yield [View.name, new View(copyTo(new ArrayBuffer(BYTES)))];
    yield [`${View.name} into a larger buffer`, new View(copyTo(new ArrayBuffer(BYTES + 64), 16), 16, count)];
    yield [`${View.name} on shared memory`, new View(copyTo(new SharedArrayBuffer(BYTES + 64), 8), 8, count)];
  }
}

/** Small Buffers lie somewhere in a buffer that all share. */
function pooled(): Buffer {
  const buffer = Buffer.allocUnsafe(BYTES);
  buffer.set(content);
  return buffer;
}

onBothBackends('bytes are hashed as what they view', () => {
  const expected = new Xxh64(3n).update(Uint8Array.from(content)).digest();

  it.each([...kinds()])('%s', (_, data) => {
    expect(xxh64(data, 3n)).toBe(expected);
    expect(new Xxh64(3n).update(data).digest()).toBe(expected);
  });

  it('at every offset from a multiple of 8', () => {
    for (let offset = 0; offset < 16; offset++) {
      const view = new Uint8Array(copyTo(new ArrayBuffer(BYTES + 32), offset), offset, BYTES);
      expect(xxh64(view, 3n)).toBe(expected);
      expect(xxh64(new DataView(view.buffer, offset, BYTES), 3n)).toBe(expected);
    }
  });

  it('longer than any internal piece, also on shared memory', () => {
    const long = randomBytes(600_011);
    const shared = new Uint8Array(new SharedArrayBuffer(long.length + 3), 3);
    shared.set(long);
    const inParts = new Xxh64();
    for (let at = 0; at < long.length; at += 99_991) inParts.update(long.subarray(at, at + 99_991));
    expect(xxh64(long)).toBe(inParts.digest());
    expect(xxh64(shared)).toBe(inParts.digest());
  });

  it('without a change to them', () => {
    const data = Uint8Array.from(content);
    xxh64(data);
    new Xxh64().update(data).digest();
    expect(data).toEqual(content);
  });

  it('empty ones as the empty string', () => {
    for (const data of [new ArrayBuffer(), new SharedArrayBuffer(), new DataView(new ArrayBuffer(8), 8)]) {
      expect(xxh64(data, 3n)).toBe(xxh64('', 3n));
    }
    expect(xxh64(new Float64Array(new ArrayBuffer(16), 8, 0), 3n)).toBe(xxh64('', 3n));
  });
});

onBothBackends('memory that has gone is refused, not taken for no bytes', () => {
  const detached = (): Uint8Array => {
    const data = new Uint8Array(8);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    return data;
  };
  /** A view of 8 bytes of a buffer that has since shrunk to 4. */
  const outgrown = <T>(View: new (buffer: ArrayBuffer, at: number, length: number) => T, length: number): T => {
    const buffer = new ArrayBuffer(8, { maxByteLength: 8 } as never) as ArrayBuffer & { resize(length: number): void };
    const view = new View(buffer, 0, length);
    buffer.resize(4);
    return view;
  };

  describe.each([
    ['a detached Uint8Array', () => detached()],
    ['a detached ArrayBuffer', () => detached().buffer as ArrayBuffer],
    ['a Uint8Array whose buffer shrank', () => outgrown(Uint8Array, 8)],
    ['a BigUint64Array whose buffer shrank', () => outgrown(BigUint64Array, 1)],
    ['a DataView whose buffer shrank', () => outgrown(DataView, 8)],
  ])('%s', (_, make) => {
    it('by xxh64', () => expect(() => xxh64(make())).toThrow(TypeError));
    it('by Xxh64', () => expect(() => new Xxh64().update(make())).toThrow(TypeError));
    it('with the name of the argument', () => expect(() => xxh64(make())).toThrow(/"data"/));
  });
});
