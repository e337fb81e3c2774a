import { describe, expect, it } from 'vitest';
import { type BytesColumn, Xxh64, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

interface ResizableBuffer extends ArrayBuffer {
  resize(byteLength: number): void;
}
// As of ES2024, which the compiler's library is older than.
const Resizable = ArrayBuffer as unknown as new (length: number, options: object) => ResizableBuffer;

type Make = <T extends ArrayBufferView>(View: new (buffer: ArrayBuffer) => T) => T;

/** A view of 16 bytes that have been transferred to somebody else. */
const detached: Make = (View) => {
  const buffer = new ArrayBuffer(16);
  const view = new View(buffer);
  structuredClone(buffer, { transfer: [buffer] });
  return view;
};

/** A view of 16 bytes of a buffer that has since shrunk below them. */
const outgrown: Make = (View) => {
  const buffer = new Resizable(24, { maxByteLength: 24 });
  const View16 = View as unknown as new (buffer: ArrayBuffer, at: number, length: number) => InstanceType<typeof View>;
  const length = 16 / ((View as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1);
  const view = new View16(buffer, 0, length);
  buffer.resize(8);
  return view;
};

// JavaScript gives such an array a length of 0; hashing that would be hashing what is not there.
onBothBackends('an array that has lost its memory is refused, not taken for an empty one', () => {
  describe.each<[string, Make]>([
    ['transferred', detached],
    ['outgrown', outgrown],
  ])('%s', (_, make) => {
    it.each<[string, () => unknown, RegExp]>([
      ['bytes, by xxh64', () => xxh64(make(Uint8Array)), /"data"/],
      ['a Float64Array, by xxh64', () => xxh64(make(Float64Array)), /"data"/],
      ['a DataView, by xxh64', () => xxh64(make(DataView as never)), /"data"/],
      ['bytes, by Xxh64', () => new Xxh64().update(make(Uint8Array)), /"data"/],
      ['u64 keys', () => xxh64Many(make(BigUint64Array)), /"keys/],
      ['signed keys', () => xxh64Many(make(BigInt64Array)), /"keys/],
      ['the data of a column', () => xxh64Many({ data: make(Uint8Array), offsets: Uint32Array.of(0, 0) }), /"keys/],
      ['the offsets of a column', () => xxh64Many(offsetsOnly(make(Uint32Array))), /"keys/],
      ['out', () => xxh64Many([], { out: make(BigUint64Array) }), /"out"/],
    ])('%s', (_, hash, named) => {
      expect(hash).toThrow(TypeError);
      expect(hash).toThrow(named);
    });
  });

  it('a transferred ArrayBuffer too', () => {
    const buffer = new ArrayBuffer(16);
    structuredClone(buffer, { transfer: [buffer] });
    expect(() => xxh64(buffer)).toThrow(TypeError);
  });

  it('while an empty array is simply empty', () => {
    expect(xxh64Many(new BigUint64Array())).toEqual(new BigUint64Array());
    expect(xxh64Many(new BigUint64Array(new ArrayBuffer(8), 8))).toEqual(new BigUint64Array());
    expect(xxh64Many(new BigUint64Array(new ArrayBuffer(8), 0, 0))).toEqual(new BigUint64Array());
  });
});

const offsetsOnly = (offsets: Uint32Array): BytesColumn => ({ data: new Uint8Array(8), offsets });
