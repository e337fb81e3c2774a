import { type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import { differences } from '../../routing/pair-counts.js';
import { sharedHashing } from '../../routing/plan.js';
import { isTransferable, type LabelNumbers, type Routing } from '../../routing/routing.js';
import { type Batch, Refused } from '../batch.js';
import type { LineKeys } from '../format.js';
import { LabelTexts, shardReader } from '../shard-column.js';
import { misplacedRows } from '../sinks/misplaced.js';
import { headerWith } from '../sinks/values.js';
import { collectBytes, type Operation, u32sOf } from './operation.js';
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

/** Compares where rows are with where they belong. */
export const COMPARE: Operation<CompareOptions, Misplaced> = {
  name: 'compare',

  open(kernels, options, format) {
    const { from, to, keys, labels, missing, isWritten } = options;
    const routedBefore = from && rowRouter(kernels, { routing: from, keys: keys[0], missing }, 'from');
    const routed = rowRouter(kernels, { routing: to, keys: keys[1], missing }, from === undefined ? 'router' : 'to');
    // With the same routing only the labels may differ. Keys that both hash alike are hashed once.
    const isSame = from !== undefined && keys[0] === keys[1] && isSameRouting(from, to);
    const ofHashes = from && sharedHashing(from, to)?.[1].ofHashes();
    const texts = new LabelTexts(labels, format);
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

    return {
      header: (header) => ({
        pairs: NO_ROWS,
        rows: NO_ROWS,
        bytes: isWritten ? headerWith(header, format) : NOTHING,
        others,
      }),
      run(batch, input) {
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
  texts: LabelTexts,
): (rows: Batch, input: number, expected: () => Uint32Array) => Uint32Array | Refused {
  const column = new Uint32Array(PIECE_ROWS);
  if (ofInput !== undefined) return ({ count }, input) => column.subarray(0, count).fill(ofInput[input]);
  if (labels.names.length === 0) return shardReader(kernels);
  return (rows, _, expected) => texts.read(rows, expected());
}
