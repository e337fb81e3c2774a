const MAX_BYTES = 128 * 1024;

/** A zstd frame (RFC 8878, 3.1.1) of one uncompressed block, because Node.js 20 cannot make any. */
export function zstdOf(text: string): Uint8Array<ArrayBuffer> {
  const { buffer } = new TextEncoder().encode(text);
  const size = buffer.byteLength;
  if (size > MAX_BYTES) throw new RangeError(`expected at most ${MAX_BYTES} bytes, got ${size}`);
  const header = new DataView(new ArrayBuffer(12));
  header.setUint32(0, 0xfd2fb528, true);
  header.setUint8(4, 0b1010_0000); // one segment; its size has 4 bytes
  header.setUint32(5, size, true);
  header.setUint16(9, ((size << 3) | 1) & 0xffff, true); // the last block, raw
  header.setUint8(11, size >> 13);
  return Uint8Array.from([...new Uint8Array(header.buffer), ...new Uint8Array(buffer)]);
}
