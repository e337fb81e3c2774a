import { expect, it } from 'vitest';
import { type Bytes, Xxh64, xxh64 } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes } from '../support/random.js';

const BYTES = 248; // a multiple of every element size: seven stripes and a tail
const content = randomBytes(BYTES);

interface ViewConstructor {
  new (buffer: ArrayBuffer | SharedArrayBuffer, at?: number, length?: number): ArrayBufferView;
  readonly name: string;
  readonly BYTES_PER_ELEMENT?: number;
}
const VIEWS: readonly ViewConstructor[] = [
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
  DataView as ViewConstructor,
];

// As of ES2024, which the compiler's library is older than.
const ResizableBuffer = ArrayBuffer as new (length: number, options: object) => ArrayBuffer;
const GrowableBuffer = SharedArrayBuffer as new (length: number, options: object) => SharedArrayBuffer;

/** The content from `at` on, with other bytes around it. */
function filled<T extends ArrayBuffer | SharedArrayBuffer>(buffer: T, at = 0): T {
  new Uint8Array(buffer).fill(0xee);
  new Uint8Array(buffer).set(content, at);
  return buffer;
}

/** Small Buffers lie somewhere in a buffer that all of them share. */
function pooledBuffer(): Buffer {
  const buffer = Buffer.allocUnsafe(BYTES);
  buffer.set(content);
  return buffer;
}

/** The content as every kind of bytes there is. */
function* kinds(): Generator<[string, Bytes]> {
  yield ['ArrayBuffer', filled(new ArrayBuffer(BYTES))];
  yield ['SharedArrayBuffer', filled(new SharedArrayBuffer(BYTES))];
  yield ['resizable ArrayBuffer', filled(new ResizableBuffer(BYTES, { maxByteLength: 1000 }))];
  yield ['growable SharedArrayBuffer', filled(new GrowableBuffer(BYTES, { maxByteLength: 1000 }))];
  if (globalThis.Buffer !== undefined) yield ['Buffer', pooledBuffer()];
  for (const View of VIEWS) {
    const length = BYTES / (View.BYTES_PER_ELEMENT ?? 1);
    yield [View.name, new View(filled(new ArrayBuffer(BYTES)))];
    yield [`${View.name} into a larger buffer`, new View(filled(new ArrayBuffer(BYTES + 64), 16), 16, length)];
    yield [`${View.name} on shared memory`, new View(filled(new SharedArrayBuffer(BYTES + 64), 8), 8, length)];
  }
}

onBothBackends('bytes are hashed as what they view', () => {
  const inParts = new Xxh64(3n);
  for (const byte of content) inParts.update(Uint8Array.of(byte));
  const expected = inParts.digest();

  it.each([...kinds()])('%s', (_, data) => {
    expect(xxh64(data, 3n)).toBe(expected);
    expect(new Xxh64(3n).update(data).digest()).toBe(expected);
  });

  it('at every offset from a multiple of 8', () => {
    for (let offset = 0; offset < 16; offset++) {
      const view = new Uint8Array(filled(new ArrayBuffer(BYTES + 32), offset), offset, BYTES);
      expect(xxh64(view, 3n)).toBe(expected);
      expect(xxh64(new DataView(view.buffer, offset, BYTES), 3n)).toBe(expected);
    }
  });

  it('also when they are longer than any internal piece, and on shared memory', () => {
    const long = randomBytes(600_011);
    const shared = new Uint8Array(new SharedArrayBuffer(long.length + 3), 3);
    shared.set(long);
    const parts = new Xxh64();
    for (let at = 0; at < long.length; at += 99_991) parts.update(long.subarray(at, at + 99_991));
    expect(xxh64(long)).toBe(parts.digest());
    expect(xxh64(shared)).toBe(parts.digest());
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

  // Both are what xxhash-wasm does.
  it('never as no bytes for a string, nor as elements for a typed array', () => {
    expect(xxh64('abc')).not.toBe(xxh64(''));
    expect(xxh64(Uint16Array.of(0x6161, 0x6262))).toBe(xxh64('aabb'));
  });
});
