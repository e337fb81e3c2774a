// The keys, texts and ids to work on, which are always the same.

/** u64s, evenly spread. */
export function u64s(rows: number): BigUint64Array {
  const keys = new BigUint64Array(rows);
  for (let i = 0; i < rows; i++) keys[i] = BigInt(i) * 0x9e3779b97f4a7c15n;
  return keys;
}

/** Strings of `units` UTF-16 units, each with its number. They are flat in memory, like those from a parser. */
export function strings(rows: number, units: number, filler: string): string[] {
  const fill = filler.repeat(units);
  const texts = new Array<string>(rows);
  // Parsed a few at a time, because gigabytes of garbage would slow down the next measurement.
  for (let from = 0; from < rows; from += 1000) {
    const some = Array.from({ length: Math.min(1000, rows - from) }, (_, i) => {
      const number = (from + i).toString(36);
      return number + fill.slice(0, units - number.length);
    });
    for (const [i, text] of (JSON.parse(JSON.stringify(some)) as string[]).entries()) texts[from + i] = text;
  }
  return texts;
}

/** Rows of `byteLength` bytes. */
export function byteStrings(rows: number, byteLength: number): { data: Uint8Array; offsets: Uint32Array } {
  const data = new Uint8Array(rows * byteLength);
  for (let i = 0; i < data.length; i++) data[i] = i * 31 + (i >>> 8);
  const offsets = new Uint32Array(rows + 1);
  for (let i = 0; i <= rows; i++) offsets[i] = i * byteLength;
  return { data, offsets };
}
