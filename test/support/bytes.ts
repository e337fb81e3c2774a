/** A text as UTF-8, a lone surrogate as U+FFFD. Follows the table of the standard and uses no encoder of the platform. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(3 * text.length); // the most that its code units take
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    // Not codePointAt: compiled by V8 13.6 (Node 24), it reads a unit behind the end of a text that is a slice of another one.
    const next = code >= 0xd800 && code < 0xdc00 && at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    if (next >= 0xdc00 && next < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
      at++;
    }
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) {
      bytes[end++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[end++] = 0xc0 | (code >> 6);
    } else {
      if (code < 0x10000) {
        bytes[end++] = 0xe0 | (code >> 12);
      } else {
        bytes[end++] = 0xf0 | (code >> 18);
        bytes[end++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[end++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[end++] = 0x80 | (code & 0x3f);
  }
  return bytes.slice(0, end);
}

/** Whether two arrays have the same bytes. */
export function sameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  if (a.byteLength !== b.byteLength) return false;
  const left = new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
  const right = new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}
