import { type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import { differences } from '../../routing/pair-counts.js';
import { sharedHashing } from '../../routing/plan.js';
import { isTransferable, type LabelNumbers, type Routing } from '../../routing/routing.js';
import { encoder } from '../../utf8.js';
import { type Batch, type Header, Refused } from '../batch.js';
import { type CheckedFormat, fieldOf, isOfLines, type LineKeys, lineEndOf } from '../format.js';
import { labelTexts, shardReader } from '../shard-column.js';
import { delimiterOf, headerWith } from '../sinks/values.js';
import { collectBytes, OpenOperation, type Operation, u32sOf } from './operation.js';
import { rowRouter } from './route.js';

/** Where rows are and where they belong: numbers of labels; plain data, apart from the routings. */
export interface CompareOptions {
  /** Where rows are; undefined: they say it themselves. */
  readonly from?: Routing<any> | undefined;
  readonly to: Routing<any>;
  /** How the keys of each are read. */
  readonly keys: readonly [LineKeys, LineKeys];
  readonly labels: LabelNumbers;
  /** The shard of records without a key, as in PlaceOptions. */
  readonly missing?: number | 'reject' | undefined;
  /** The number of the label of all rows of each input. */
  readonly ofInput?: Uint32Array | undefined;
  /** Whether the rows that are elsewhere are written. */
  readonly isWritten: boolean;
}

/** Rows that are elsewhere than where they belong. */
export interface Misplaced {
  /** The numbers of the labels where each row is, and where it belongs. */
  readonly pairs: Uint32Array;
  /** Which rows of their batch they are; not known of those that other threads have found. */
  readonly rows: Uint32Array;
  /** The rows as they are written. */
  readonly bytes: Uint8Array;
  /** Labels that have come up besides those of the options. Their numbers follow. */
  readonly others: readonly string[];
}

const NOTHING = new Uint8Array(0);
const NO_ROWS = new Uint32Array(0);

/** Whether both place all keys alike. JSON says it of those of this package alone. */
const isSameRouting = (from: Routing<any>, to: Routing<any>): boolean =>
  from === to || ([from, to].every(isTransferable) && JSON.stringify(from) === JSON.stringify(to));

export const COMPARE: Operation<CompareOptions, Misplaced> = {
  name: 'compare',

  open(kernels, options, format) {
    const { from, to, keys, labels, missing, isWritten } = options;
    const routedBefore = from && rowRouter(kernels, { routing: from, keys: keys[0], missing }, 'from');
    const routed = rowRouter(kernels, { routing: to, keys: keys[1], missing }, from === undefined ? 'router' : 'to');
    // With the same routing only the labels may differ. Keys that both hash alike are hashed once.
    const isSame = from !== undefined && keys[0] === keys[1] && isSameRouting(from, to);
    const ofHashes = from && sharedHashing(from, to)?.[1].ofHashes();
    const texts = labelTexts(labels, format);
    const said = labelReader(kernels, options, texts);
    const write = isWritten ? misplacedRows(format, (label) => texts.at(label)) : undefined;
    const { others } = texts;
    const pairs = new Uint32Array(2 * PIECE_ROWS);
    const found = new Uint32Array(PIECE_ROWS);

    const placeAfter = (batch: Batch, before: Batch | undefined): Batch | Uint32Array | Refused => {
      if (before === undefined) return routed(batch);
      if (isSame) return before;
      return (batch.nulls === undefined && ofHashes?.routeMany(before.hashes)) || routed(batch);
    };

    const compared = (batch: Batch, input: number): Misplaced | Refused => {
      const before = routedBefore?.(batch);
      if (before instanceof Refused) return before;
      const after = placeAfter(batch, before);
      if (after instanceof Refused) return after;
      const belong = () => numbered(after instanceof Uint32Array ? after : after.shards, labels.after);
      const are = before ? numbered(before.shards, labels.before) : said(batch, input, belong);
      if (are instanceof Refused) return are;
      const count = differences(are, belong(), pairs, found); // read again, as the memory may have grown
      const [misplaced, rows] = [pairs.subarray(0, 2 * count), found.subarray(0, count)];
      return { pairs: misplaced, rows, bytes: write?.(batch, rows, misplaced) ?? NOTHING, others };
    };
    const header = (header: Header): Misplaced => {
      return { pairs: NO_ROWS, rows: NO_ROWS, bytes: isWritten ? headerWith(header, format) : NOTHING, others };
    };
    return new OpenOperation(compared, { header, takesNull: true });
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
      flush() {
        const [found, written] = [pairs.flush(), rows.flush()];
        const value = { pairs: u32sOf(found.value), rows: NO_ROWS, bytes: written.value, others: [...others] };
        return { value, memory: [...found.memory, ...written.memory] };
      },
    };
  },
};

function numbered(shards: Uint32Array, numbers: Uint32Array | undefined): Uint32Array {
  if (numbers === undefined) return shards;
  const labels = new Uint32Array(shards.length);
  for (let row = 0; row < labels.length; row++) labels[row] = numbers[shards[row]];
  return labels;
}

/** Reads the labels that rows say, or that those of their input have. They are valid until the next call. */
function labelReader(
  kernels: Kernels,
  { ofInput, labels }: CompareOptions,
  texts: ReturnType<typeof labelTexts>,
): (rows: Batch, input: number, expected: () => Uint32Array) => Uint32Array | Refused {
  const column = new Uint32Array(PIECE_ROWS);
  if (ofInput !== undefined) return ({ count }, input) => column.subarray(0, count).fill(ofInput[input]);
  if (labels.names.length === 0) return shardReader(kernels);
  return (rows, _, expected) => texts.read(rows, expected());
}

/**
 * Writes rows with where they are and where they belong: records with two more columns, and of lines their keys with two
 * more columns of TSV.
 * @param textOf the number or the name of a place
 * @returns a function that gives the bytes, valid until its next call
 * @see headerWith for the header of records
 */
function misplacedRows(
  records: CheckedFormat | undefined,
  textOf: (place: number) => number | string,
): (lines: Batch, rows: Uint32Array, pairs: Uint32Array) => Uint8Array {
  const written = [0, 1].map((which) => writtenOnce((place) => cellOf(textOf(place), records, which)));
  const lineEnd = Uint8Array.of(lineEndOf(records));
  const { add, flush, reuse } = collectBytes();
  return (lines, rows, pairs) => {
    const areLines = isOfLines(records);
    const { data, starts, ends } = areLines ? lines.keys : lines.records;
    const closes = areLines ? undefined : lines.records.closes;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const end = ends[row];
      const at = closes === undefined ? end : closes[row];
      const next = areLines ? end : starts[row + 1];
      add(data.subarray(starts[row], at));
      for (const which of [0, 1]) add(written[which](pairs[2 * i + which]));
      add(data.subarray(at, next));
      if (next === end) add(lineEnd);
    }
    const { value, memory } = flush();
    reuse(memory);
    return value;
  };
}

/** A value of an added column, with what comes before it. */
function cellOf(value: number | string, records: CheckedFormat | undefined, which: number): string {
  if (records?.format === 'csv') return delimiterOf(records) + fieldOf(String(value), records);
  if (records?.format === 'ndjson') return `,${JSON.stringify(records.added[which])}:${JSON.stringify(value)}`;
  return `\t${value}`;
}

/** So many places are kept as they are written. */
const MAX_KEPT = 100_000;

/** Keeps what is written of each place. */
function writtenOnce(write: (place: number) => string): (place: number) => Uint8Array {
  const kept = new Map<number, Uint8Array>();
  return (place) => {
    let bytes = kept.get(place);
    if (bytes === undefined) {
      if (kept.size === MAX_KEPT) kept.clear();
      bytes = encoder().encode(write(place));
      kept.set(place, bytes);
    }
    return bytes;
  };
}
