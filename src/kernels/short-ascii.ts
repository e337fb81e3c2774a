// So short, ASCII is written sooner than the engine's encoder is called.
const MOST_UNITS = 48;

/** Writes a text as UTF-8 if it is short and ASCII; else returns false, and what is in its place is undefined. */
export function writeShortAscii(text: string, bytes: Uint8Array, at: number): boolean {
  if (text.length > MOST_UNITS) return false;
  let all = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[at + i] = unit;
    all |= unit;
  }
  return all < 0x80;
}

/** Room for what it writes. */
export const shortAscii = /* @__PURE__ */ new Uint8Array(MOST_UNITS);
