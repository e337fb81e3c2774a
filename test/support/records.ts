import type { InvalidLine } from '../../src/rows/batch.js';
import type { BufferedSource } from '../../src/rows/sources/lines.js';

/** A record with its line and its key, or what is wrong with it. */
export type Seen = readonly [line: number, record: string, key: string] | InvalidLine;

/** Reads bytes in pieces of some lengths; the last length is repeated. */
export function recordsOf(batches: BufferedSource, bytes: Uint8Array, ...byteLengths: number[]): Seen[] {
  const seen: Seen[] = [];
  const take = () => {
    for (const piece of batches.drain()) {
      if (piece.kind === 'invalid') seen.push(piece);
      if (piece.kind !== 'batch') continue;
      const text = (data: Uint8Array, from: number | undefined, to: number | undefined) =>
        Buffer.from(data.subarray(from, to)).toString();
      const { data, starts, ends, keys } = piece;
      for (let row = 0; row < piece.count; row++) {
        const key = text(keys.data, keys.starts[row], keys.ends[row]);
        seen.push([piece.lineOf(row), text(data, starts[row], ends[row]), key]);
      }
    }
  };
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const room = batches.room();
    const piece = bytes.subarray(at, at + Math.min(room.length, byteLengths[i] ?? byteLengths.at(-1) ?? 1e9));
    room.set(piece);
    batches.filled(piece.length);
    at += piece.length;
    take();
  }
  batches.ended();
  take();
  return seen;
}

/** Replaces errors by their data. */
export function shown(seen: readonly Seen[]): unknown[] {
  return seen.map((one) => ('kind' in one ? [one.line, one.error.message, Buffer.from(one.bytes).toString()] : one));
}
