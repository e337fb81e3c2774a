/** A text as UTF-8, a lone surrogate as U+FFFD: by the standard's table, apart from any encoder of the platform. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const character of text) {
    let code = character.codePointAt(0) as number;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    const rest = (shift: number) => 0x80 | ((code >> shift) & 0x3f);
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), rest(0));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), rest(6), rest(0));
    else bytes.push(0xf0 | (code >> 18), rest(12), rest(6), rest(0));
  }
  return Uint8Array.from(bytes);
}

/** Whether two arrays have the same bytes; of a million `toEqual` takes seconds. */
export function sameBytes(a: ArrayBufferView, b: ArrayBufferView): boolean {
  const [left, right] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return left?.length === right?.length && left?.every((byte, at) => byte === right?.[at]) === true;
}
