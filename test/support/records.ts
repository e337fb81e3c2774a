import { type BatchSource, Header, RecordError } from '../../src/lines/source.js';

/** A record with its line and its key, or the error about one. */
export type Seen = readonly [line: number, record: string, key: string] | RecordError;

/** Reads bytes in pieces of some lengths; the last length is repeated. */
export function recordsOf(batches: BatchSource, bytes: Uint8Array, ...byteLengths: number[]): Seen[] {
  const seen: Seen[] = [];
  const take = () => {
    for (;;) {
      try {
        const records = batches.next();
        if (records === undefined) return;
        if (records instanceof Header) continue;
        const text = (data: Uint8Array, from: number | undefined, to: number | undefined) =>
          Buffer.from(data.subarray(from, to)).toString();
        const { data, starts, ends, keys } = records;
        for (let row = 0; row < records.count; row++) {
          const key = text(keys.data, keys.starts[row], keys.ends[row]);
          seen.push([records.lineOf(row), text(data, starts[row], ends[row]), key]);
        }
      } catch (error) {
        if (!(error instanceof RecordError)) throw error;
        seen.push(error);
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
  return seen.map((one) =>
    one instanceof RecordError ? [one.line, one.message, Buffer.from(one.bytes).toString()] : one,
  );
}
