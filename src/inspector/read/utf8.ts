/**
 * A text in UTF-8. Most have ASCII only and fit into as many bytes as characters: for 95 MB of them Chromium takes
 * 0.3 s, and 1.7 s with `encode`, both measured on a busy machine.
 */
export function utf8Of(text: string): Uint8Array {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(text.length);
  const { read } = encoder.encodeInto(text, bytes);
  return read === text.length ? bytes : encoder.encode(text);
}
