import { type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import type { Routing } from '../../routing/routing.js';
import type { Batch } from '../batch.js';
import { type LineKeys, lineRouter } from '../keys.js';
import { PlaceNames, shardReader } from '../shard-column.js';
import { placedRows } from '../sinks/misplaced.js';
import { type ShardNames, withNames } from '../sinks/rows.js';
import { headerWith } from '../sinks/values.js';
import { collectBytes, u32sOf, type WorkKind } from './operation.js';

export interface AuditOptions {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  /** The names of places, such as nodes. There may be more of them than those of shards. */
  readonly names?: ShardNames | undefined;
  /** The place of all rows of each input; undefined: the rows say it themselves. */
  readonly places?: Uint32Array | undefined;
  /** Whether misplaced rows are written. */
  readonly isWritten: boolean;
}

/** Rows that are elsewhere than where they belong. Places are shards, or the numbers of names. */
export interface Misplaced {
  /** Where each row is, and where it belongs. */
  readonly pairs: Uint32Array;
  /** The rows as they are written. */
  readonly bytes: Uint8Array;
  /** Names that have come up besides those of the options. Their numbers follow. */
  readonly others: readonly string[];
}

const NOTHING = new Uint8Array(0);

/** Compares where rows are with where a routing puts them. */
export const AUDIT: WorkKind<AuditOptions, Misplaced, Misplaced> = {
  start(kernels, { routing, keys, names, places, isWritten }, records) {
    const routed = lineRouter(kernels, routing, keys);
    const known = names && new PlaceNames(names.texts, records);
    const placesOf = readerOf(kernels, known, places);
    const write = isWritten ? placedRows(records, (place) => known?.at(place) ?? place) : undefined;
    const others = known?.others ?? [];
    const pairs = new Uint32Array(2 * PIECE_ROWS);
    const rows = new Uint32Array(PIECE_ROWS);
    return {
      header: (header) => ({
        pairs: new Uint32Array(0),
        bytes: write === undefined ? NOTHING : headerWith(header, records),
        others,
      }),
      work(lines, input) {
        const placed = withNames(routed(lines), names);
        const are = placesOf(lines, input, placed.shards);
        const belong = placed.shards; // after all that may make the memory grow
        let count = 0;
        for (let row = 0; row < lines.count; row++) {
          if (are[row] === belong[row]) continue;
          pairs[2 * count] = are[row];
          pairs[2 * count + 1] = belong[row];
          rows[count++] = row;
        }
        const found = pairs.subarray(0, 2 * count);
        return { pairs: found, bytes: write?.(lines, rows.subarray(0, count), found) ?? NOTHING, others };
      },
    };
  },

  collect() {
    const [pairs, rows] = [collectBytes(), collectBytes()];
    let others: readonly string[] = [];
    return {
      reuse: rows.reuse,
      add(found) {
        pairs.add(new Uint8Array(found.pairs.buffer, found.pairs.byteOffset, found.pairs.byteLength));
        rows.add(found.bytes);
        others = found.others;
      },
      take() {
        const [found, written] = [pairs.take(), rows.take()];
        const value = { pairs: u32sOf(found.value), bytes: written.value, others: [...others] };
        return { value, memory: [...found.memory, ...written.memory] };
      },
    };
  },
};

/** Gives the places where rows are, valid until the next call. */
function readerOf(
  kernels: Kernels,
  names: PlaceNames | undefined,
  places: Uint32Array | undefined,
): (lines: Batch, input: number, belong: Uint32Array) => Uint32Array {
  const column = new Uint32Array(PIECE_ROWS);
  if (places !== undefined) return ({ count }, input) => column.subarray(0, count).fill(places[input]);
  if (names === undefined) return shardReader(kernels);
  return (lines, _, belong) => {
    const are = column.subarray(0, lines.count);
    names.read(lines, belong, are);
    return are;
  };
}
