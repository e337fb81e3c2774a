import { type ColumnArray, columnType, type HashColumn, type Spans, sameLength, viewOf } from '../types.js';
import type { CoreExports } from './core.generated.js';
import { wasmInstance } from './instance.js';

// With this limit the joined text is one of the engine's small objects, which are cheap to collect. With twice
// the limit, a text of 12 units that is not ASCII takes 35 to 43 ns instead of 27 to 35, and more if a program
// makes much garbage. Half the limit costs more calls.
const PIECE_UNITS = 32 * 1024;

/** Joins as many texts as a piece holds, from `from` on, and sets where each ends in slot 2, at `width` bytes a unit. */
function joinPiece(texts: readonly string[], from: number, width: 1 | 2): { rows: number; joined: string } {
  const { memory, slot2, pieceRows } = wasmInstance();
  const offsets = memory.views.u32.subarray(slot2 / 4, slot2 / 4 + pieceRows + 1);
  offsets[0] = 0;
  let joined = '';
  let rows = 0;
  while (from + rows < texts.length && rows < pieceRows) {
    const text = texts[from + rows];
    if (joined.length + text.length > PIECE_UNITS) break;
    joined += text; // takes 10 ns a text less than `join`
    offsets[++rows] = joined.length * width;
  }
  return { rows, joined };
}

/**
 * Puts as many texts as a piece holds, from `from` on, in slot 3, with their offsets in slot 2. Returns how many; 0 if the
 * first one is too long.
 */
type StageTexts = (texts: readonly string[], from: number) => number;

/**
 * Texts as UTF-8. They are joined first, because a call for each costs more than its work. The engine's encoder is the
 * fastest for ASCII; it wrote only ASCII if there are as many bytes as units. If that is not so, or was not so in the
 * previous piece, units are copied and the kernel encodes them. A text of 70 units then takes 55 to 100 ns; the engine's
 * encoder 90 to 140, and a call for each text 65 to 115.
 */
function stageUtf8(): StageTexts {
  let isWide = false;
  return (texts, from) => {
    const instance = wasmInstance();
    const { core, memory, encoder, slot1, slot2, slot3 } = instance;
    const { rows, joined } = joinPiece(texts, from, 1);
    isWide ||= encoder.encodeInto(joined, instance.textRoom()).written !== joined.length;
    if (isWide) {
      instance.writeUnits(joined, slot1);
      core.toUtf8(slot1, slot2 + 4, rows, slot3);
      isWide = memory.views.u32[slot2 / 4 + rows] !== joined.length;
    }
    return rows;
  };
}

/** Texts as UTF-16, little-endian. */
export const stageUnits: StageTexts = (texts, from) => {
  const { rows, joined } = joinPiece(texts, from, 2);
  wasmInstance().writeUnits(joined, wasmInstance().slot3);
  return rows;
};

// How columns reach the kernels. Resident columns are used in place. Other columns pass in pieces through four fixed
// slots (see `assembly/memory.ts`), so that memory does not grow with the input.

/** Works on rows of `data` and returns how many are done: all, or those before the first one that is refused. */
export type SpanKernel = (data: number, starts: number, ends: number, out: number, rows: number) => number;

/** Runs a kernel from one column to another, piece by piece. */
export function mapColumn(
  input: BigUint64Array | Uint32Array,
  output: BigUint64Array | Uint32Array,
  kernel: (core: CoreExports, from: number, to: number, rows: number) => void,
): void {
  sameLength(input, output);
  const { core, slot1, pieceRows } = wasmInstance();
  for (let from = 0; from < input.length; from += pieceRows) {
    const rows = Math.min(pieceRows, input.length - from);
    const inputAt = inputAddress(input, from, rows, slot1);
    const [outputAt, copyBack] = outputAddress(output, from, rows);
    kernel(core, inputAt, outputAt, rows);
    copyBack?.();
  }
}

/** A result of one row, as wide as the column's. */
type Result = bigint | number | undefined;

/**
 * Runs a kernel over byte strings, as many at a time as fit a piece; `long` does the same for a single one that does
 * not fit.
 * @param most limits the rows of a piece, even of a resident column
 * @returns the first row that is refused, or -1
 */
export function mapSpans(
  { data, starts, ends }: Spans,
  out: HashColumn,
  kernel: SpanKernel,
  long: (row: Uint8Array) => Result,
  most?: { readonly bytes: number; readonly rows: number },
): number {
  sameLength(starts, ends);
  sameLength(starts, out);
  const { memory, slot2, slot3, pieceBytes, pieceRows } = wasmInstance();
  const resident = memory.addressOf(data);
  // The starts and ends of a BytesColumn are one array, which is copied once.
  const offsets =
    ends.buffer === starts.buffer && ends.byteOffset === starts.byteOffset + 4
      ? viewOf(starts, 0, starts.length + 1)
      : undefined;
  for (let from = 0; from < starts.length; ) {
    const first = starts[from];
    let to = Math.min(from + (most?.rows ?? pieceRows), starts.length);
    let address = resident;
    if (resident < 0 || most) {
      to = from + rowsEndingBy(ends, from, to, first + (most?.bytes ?? pieceBytes));
      if (to === from) {
        const value = long(viewOf(data, first, ends[from]));
        if (value === undefined) return from;
        out[from++] = value as never;
        continue;
      }
    }
    if (resident < 0) {
      memory.views.u8.set(viewOf(data, first, ends[to - 1]), slot3);
      address = slot3 - first; // starts count from the beginning of `data`
    }
    const rows = to - from;
    const startsAt = inputAddress(offsets ?? starts, from, offsets ? rows + 1 : rows, slot2);
    const endsAt = offsets ? startsAt + 4 : inputAddress(ends, from, rows, slot2 + pieceRows * 4);
    const [outAt, copyBack] = outputAddress(out, from, rows);
    const done = kernel(address, startsAt, endsAt, outAt, rows);
    copyBack?.();
    if (done < rows) return from + done;
    from = to;
  }
  return -1;
}

/**
 * Like {@link mapSpans}, for texts.
 * @param stage encodes them, as UTF-8 by default
 * @param width how many elements of `out` a row takes
 */
export function mapTexts(
  texts: readonly string[],
  out: HashColumn,
  kernel: SpanKernel,
  long: (text: string, row: number) => Result,
  stage = stageUtf8(),
  width = 1,
): number {
  sameLength({ length: width * texts.length }, out);
  const { slot2, slot3 } = wasmInstance();
  for (let from = 0; from < texts.length; ) {
    const rows = stage(texts, from);
    if (rows === 0) {
      const value = long(texts[from], from);
      if (value === undefined) return from;
      out[width * from++] = value as never;
      continue;
    }
    const [outAt, copyBack] = outputAddress(out, width * from, width * rows);
    const done = kernel(slot3, slot2, slot2 + 4, outAt, rows);
    copyBack?.();
    if (done < rows) return from + done;
    from += rows;
  }
  return -1;
}

/** One type for all arrays: copying is the same for all, as long as both are of one type. */
function plain(array: ColumnArray): Uint8Array {
  return array as Uint8Array;
}

/** The address of rows for a kernel to read: in place, or copied to a slot. */
export function inputAddress(array: ColumnArray, from: number, rows: number, slot: number): number {
  const { memory } = wasmInstance();
  const address = memory.addressOf(array);
  if (address >= 0) return address + from * array.BYTES_PER_ELEMENT;
  plain(memory.views[columnType(array)]).set(plain(viewOf(array, from, from + rows)), slot / array.BYTES_PER_ELEMENT);
  return slot;
}

/** The address where a kernel writes rows: in place, or a slot with a function that copies them out. */
export function outputAddress(array: ColumnArray, from: number, rows: number): [at: number, copyBack?: () => void] {
  const { memory, slot0 } = wasmInstance();
  const address = memory.addressOf(array);
  if (address >= 0) return [address + from * array.BYTES_PER_ELEMENT];
  const view = plain(memory.views[columnType(array)]);
  const at = slot0 / array.BYTES_PER_ELEMENT;
  return [slot0, () => plain(array).set(view.subarray(at, at + rows), from)];
}

/** The address of an array that must be that of a resident column. */
export function residentAddress(array: ColumnArray): number {
  const address = wasmInstance().memory.addressOf(array);
  if (address < 0) throw new TypeError('expected the current array of a column of these kernels');
  return address;
}

/** How many of the rows from..to end at `limit` or before; `ends` is ascending. */
function rowsEndingBy(ends: Uint32Array, from: number, to: number, limit: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low - from;
}
