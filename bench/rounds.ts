import { Bench, type FnReturnedObject } from 'tinybench';
import type { Area, Results, Way } from './area.js';
import { type Summary, summarize } from './summary.js';

/** Rounds that do not count: V8 compiles loops over BigUint64Array to machine words in the second or third. */
const WARM_UP = 3;

/** The times of a way with the same results as shardbits; for any other way, where the results differ. */
export type Measured = { name: string; rows: number; peakMB?: number } & (Summary | { differs: string });

export interface MeasuredArea {
  name: string;
  title: string;
  rows: number;
  bytesPerRow: number;
  ways: Measured[];
}

/**
 * Compares the results of every way with those of the first, then times the ways in rounds. Each takes a turn in every
 * round, and another one is first each time, so that drifts (clock, memory, other processes) affect all of them.
 */
export async function measure(area: Area, rounds: number): Promise<MeasuredArea> {
  const reference = area.ways[0];
  const rowsOf = (way: Way) => way.rows ?? area.rows;
  const first = await reference.run();
  const expected = keep(first);
  spoil(first);
  const differences = new Map<Way, string>();
  for (const way of area.ways) {
    const results = await way.run();
    const differs = difference(expected, results, rowsOf(way) / area.rows);
    spoil(results); // ways share columns: what one leaves there must not count as the work of the next
    if (differs !== undefined) differences.set(way, differs);
  }
  if (differences.has(reference)) throw new Error(`${area.name}: shardbits itself: ${differences.get(reference)}`);
  const same = area.ways.filter((way) => !differences.has(way));
  const times = new Map(same.map((way): [Way, number[]] => [way, []]));
  for (let round = -WARM_UP; round < rounds; round++) {
    for (let turn = 0; turn < same.length; turn++) {
      const way = same[(turn + Math.max(round, 0)) % same.length];
      const ns = (await timeOnce(way)) / rowsOf(way);
      if (round >= 0) times.get(way)?.push(ns);
    }
  }
  const ways = area.ways.map((way): Measured => {
    const ns = times.get(way);
    return {
      name: way.name,
      rows: rowsOf(way),
      ...(ns ? summarize(ns, times.get(reference) as number[]) : { differs: differences.get(way) as string }),
      ...(ns && way.peakBytes ? { peakMB: way.peakBytes() / 1e6 } : {}),
    };
  });
  const { name, title, rows, bytesPerRow } = area;
  return { name, title, rows, bytesPerRow, ways };
}

async function timeOnce(way: Way): Promise<number> {
  const bench = new Bench({ iterations: 1, time: 0, warmup: false, throws: true });
  bench.add(way.name, async (): Promise<FnReturnedObject | undefined> => {
    const done = way.run();
    if (done instanceof Promise) await done;
    return way.ownTime ? { overriddenDuration: way.ownTime() / 1e6 } : undefined;
  });
  const [task] = await bench.run();
  if (!task || !('latency' in task.result)) throw new Error(`${way.name}: not timed`);
  return task.result.latency.mean * 1e6;
}

/** Copies results, because ways may write to the same columns. */
function keep(results: Results | undefined): Results | undefined {
  return results?.map((column) => (ArrayBuffer.isView(column) ? Buffer.from(bytesOf(column)) : [...column]));
}

function spoil(results: Results | undefined): void {
  for (const column of results ?? []) if (ArrayBuffer.isView(column)) bytesOf(column).fill(0xa5);
}

/** Where results differ from the expected ones, of which a way may have only a part. A way without results is not compared. */
function difference(expected: Results | undefined, got: Results | undefined, part: number): string | undefined {
  if (got === undefined || expected === undefined) return undefined;
  if (got.length !== expected.length) return `${got.length} columns instead of ${expected.length}`;
  for (const [i, column] of got.entries()) {
    const other = expected[i];
    if (ArrayBuffer.isView(column) && ArrayBuffer.isView(other)) {
      const bytes = bytesOf(column);
      const otherBytes = bytesOf(other).subarray(0, other.byteLength * part);
      if (bytes.length !== otherBytes.length) return `${bytes.length} bytes instead of ${otherBytes.length}`;
      if (!bytes.equals(otherBytes)) return `results differ from byte ${firstDifference(bytes, otherBytes)} on`;
    } else if (Array.isArray(column) && Array.isArray(other)) {
      if (column.length !== other.length * part) return `${column.length} texts instead of ${other.length * part}`;
      const row = column.findIndex((text, j) => text !== other[j]);
      if (row >= 0) return `results differ from row ${row} on`;
    } else return 'results are of another kind';
  }
  return undefined;
}

function firstDifference(a: Buffer, b: Buffer): number {
  return a.findIndex((byte, i) => byte !== b[i]);
}

function bytesOf(column: ArrayBufferView): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}
