/** For each byte 1 if its character, in Latin-1, matches. */
export function bytesLike(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => +pattern.test(String.fromCharCode(byte)));
}
