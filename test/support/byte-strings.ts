// Records as strings of bytes (characters from U+0000 to U+00FF), so that bytes that are not UTF-8 can be compared, too.
import { expect } from 'vitest';
import type { LineError } from '../../src/rows/batch.js';
import type { BufferedSource } from '../../src/rows/sources/lines.js';

/** U+FEFF in UTF-8. */
export const MARK = Buffer.from('\ufeff').toString('latin1');

/** A text as its bytes. */
export const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const FAULTS = {
  'text after a quote': /after a closing quote$/,
  'a quote in a field': /^quotes around a field/,
  'an open quote': /^a closing quote$/,
  'an open escape': /^a character after the escape character$/,
  'a key that is NULL': /^a (shard|value) other than NULL$/,
  'another number of fields': /^\d+ fields$/,
  'no JSON': /^JSON$/,
  'no object': /^a JSON object$/,
  'no key': /^a string, a number or a boolean at /,
  'a property that is added': /^no property /,
} as const;

export type Fault = keyof typeof FAULTS;

/** A record with its line and its key, or with its fault. */
export interface Seen {
  readonly line: number;
  readonly record: string;
  readonly key?: string | undefined;
  readonly fault?: Fault | undefined;
}

/** Reads bytes in pieces of some lengths; the last length is repeated. */
function read(source: BufferedSource, bytes: Buffer, lengths: readonly number[] = [bytes.length]): Seen[] {
  const seen: Seen[] = [];
  source.restart();
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = Math.min(lengths[Math.min(i, lengths.length - 1)], bytes.length - at);
    source.room().set(bytes.subarray(at, at + length));
    source.filled(length);
    at += length;
    take(source, seen);
  }
  source.ended();
  take(source, seen);
  return seen;
}

function take(source: BufferedSource, seen: Seen[]): void {
  for (const piece of source.drain()) {
    if (piece.kind === 'invalid') {
      const { line, bytes, error } = piece;
      seen.push({ line, record: Buffer.from(bytes).toString('latin1'), fault: faultOf(error as LineError) });
    }
    if (piece.kind !== 'batch') continue;
    const { data, starts, ends, keys, nulls } = piece;
    const text = (from: Uint8Array, start: number, end: number) =>
      Buffer.from(from.buffer, from.byteOffset + start, end - start).toString('latin1');
    for (let row = 0; row < piece.count; row++) {
      const record = text(data, starts[row], ends[row]);
      const key = text(keys.data, keys.starts[row], keys.ends[row]);
      const isNull = nulls?.[row] === 1;
      seen.push({ line: piece.lineOf(row), record, ...(isNull ? { fault: 'a key that is NULL' } : { key }) });
    }
  }
}

function faultOf({ expected }: LineError): Fault {
  const found = (Object.keys(FAULTS) as Fault[]).find((fault) => FAULTS[fault].test(expected));
  if (found === undefined) throw new Error(`an unknown fault: ${expected}`);
  return found;
}

/** Like `toEqual`, which is slow. */
function check(got: readonly Seen[], expected: readonly Seen[], where: () => unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(expected))
    expect({ where: where(), got }).toEqual({ where: where(), got: expected });
}

/** Checks that a source finds the expected records on each backend, even if the bytes come in pieces. */
export function checkOnBoth(
  sources: readonly BufferedSource[],
  document: string,
  expected: readonly Seen[],
  pieces: readonly (readonly number[])[],
): void {
  const bytes = Buffer.from(document, 'latin1');
  for (const [i, source] of sources.entries()) {
    for (const lengths of [[bytes.length], ...pieces]) {
      check(read(source, bytes, lengths), expected, () => ({
        backend: i === 0 ? 'wasm' : 'bigint',
        document,
        lengths,
      }));
    }
  }
}

/** Every way to cut `byteLength` bytes in two, and the cut into single bytes. */
export function allCuts(byteLength: number): number[][] {
  return [[1], ...Array.from({ length: byteLength }, (_, at) => [at + 1, byteLength])];
}

/** A key of several values, in the form that is hashed. */
export function compound(values: readonly string[]): string {
  return values.map((value, i) => (i < values.length - 1 ? `${value.length}:${value}:` : value)).join('');
}
