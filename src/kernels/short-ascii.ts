// Up to this length, writing ASCII takes less time than calling the engine's encoder.
const MOST_UNITS = 48;

/** Writes a text as UTF-8 if it is short and ASCII. Otherwise it returns false, and the bytes from `at` on are undefined. */
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

/** Room for one text that `writeShortAscii` writes. */
export const shortAscii = /* @__PURE__ */ new Uint8Array(MOST_UNITS);
