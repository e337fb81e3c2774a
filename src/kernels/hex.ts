/**
 * The bytes of an embedded module. In hexadecimal, as compressors then see whole bytes: the core takes 5.4 KB of gzip
 * where base64 takes 7.0.
 */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: 'hex'): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(text, 'hex'); // in Node and its like; 1 ms sooner
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
