/** Files that people drop here and that are not text, by what they begin with, in Latin-1. */
const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ['PK\x03\x04', 'a ZIP archive, as Excel workbooks are: unpack it, or save it as CSV'],
  ['\x89PNG', 'a PNG image'],
  ['%PDF', 'a PDF document'],
  ['PAR1', 'a Parquet file: convert it to CSV'],
  ['BZh', 'compressed by bzip2: unpack it'],
  ['\xfd7zXZ', 'compressed by xz: unpack it'],
];

const SAMPLE_BYTES = 64 * 1024;
/** Text has next to no control characters; of bytes at random every tenth is one. */
const MOST_CONTROLS = 1 / 50;

/** What kind of file it is, if it is not text. */
export function binaryKind(data: Uint8Array): string | undefined {
  const known = KINDS.find(([start]) => beginsWith(data, start));
  // BZh may also begin a line of text, which has no control characters.
  if (hasControls(data)) return known?.[1] ?? 'binary data';
  return known?.[0] === '%PDF' ? known[1] : undefined;
}

export function beginsWith(data: Uint8Array, start: string): boolean {
  for (let i = 0; i < start.length; i++) if (data[i] !== start.charCodeAt(i)) return false;
  return true;
}

function hasControls(data: Uint8Array): boolean {
  const sample = data.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) if (byte < 0x20 && !isLayout(byte)) controls++;
  return controls > sample.length * MOST_CONTROLS;
}

/** Tab, newline, form feed, carriage return; the escape of coloured logs. */
function isLayout(byte: number): boolean {
  return (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b;
}
