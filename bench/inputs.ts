// Keys, texts and ids to work on: always the same ones.

/** u64s, evenly spread. */
export function u64s(rows: number): BigUint64Array {
  const keys = new BigUint64Array(rows);
  for (let i = 0; i < rows; i++) keys[i] = BigInt(i) * 0x9e3779b97f4a7c15n;
  return keys;
}

/** Strings of `units` UTF-16 units, each with its number, flat in memory as those from a parser are. */
export function strings(rows: number, units: number, filler: string): string[] {
  const texts = Array.from({ length: rows }, (_, i) => (i.toString(36) + filler.repeat(units)).slice(0, units));
  return JSON.parse(JSON.stringify(texts));
}

/** Rows of `byteLength` bytes. */
export function byteStrings(rows: number, byteLength: number): { data: Uint8Array; offsets: Uint32Array } {
  const data = new Uint8Array(rows * byteLength);
  for (let i = 0; i < data.length; i++) data[i] = i * 31 + (i >>> 8);
  const offsets = new Uint32Array(rows + 1);
  for (let i = 0; i <= rows; i++) offsets[i] = i * byteLength;
  return { data, offsets };
}
