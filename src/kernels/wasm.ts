import { bigint } from './bigint.js';
import {
  type Column,
  type ColumnArray,
  type ColumnType,
  columnType,
  type FieldColumn,
  type Kernels,
  rowsOf,
  type Spans,
  sameLength,
} from './contract.js';
import { startCore } from './core.js';
import { digitOf, TEXT_FORMATS, type TextFormat } from './text-formats.js';
import { WasmInstance } from './wasm-instance.js';
import { encodePiece } from './wasm-text.js';

/**
 * The kernels in WebAssembly. Nothing is compiled until the first call.
 *
 * Columns that do not live in its memory pass through four fixed slots (see `assembly/memory.ts`)
 * in pieces, so that memory does not grow with the input.
 */
class WasmKernels implements Kernels {
  readonly name = 'wasm';
  #instance: WasmInstance | undefined;

  start(module?: WebAssembly.Module): WasmInstance {
    this.#instance ??= new WasmInstance(startCore(module));
    return this.#instance;
  }

  column<T extends ColumnType>(type: T, length: number): Column<T> {
    return this.start().memory.column(type, length);
  }

  get scratch(): BigUint64Array {
    return this.start().scratch();
  }

  xxh64(data: Uint8Array, seed: bigint): bigint {
    const { core, memory, slot3, pieceBytes, streamState } = this.start();
    const address = memory.addressOf(data);
    if (address >= 0) return u64(core.xxh64(address, data.length, seed));
    if (data.length <= pieceBytes) {
      memory.views.u8.set(data, slot3);
      return u64(core.xxh64(slot3, data.length, seed));
    }
    core.xxh64Init(streamState, seed);
    this.#updateStream(data);
    return u64(core.xxh64Digest(streamState));
  }

  xxh64Text(text: string, seed: bigint): bigint {
    const instance = this.start();
    const { core, slot3, streamState, encoder } = instance;
    const room = instance.textRoom();
    let { read, written } = encoder.encodeInto(text, room);
    if (read === text.length) return u64(core.xxh64(slot3, written, seed));
    core.xxh64Init(streamState, seed);
    core.xxh64Update(streamState, slot3, written);
    for (let from = read; from < text.length; from += read) {
      // As many units as there are bytes: if the cut parts a surrogate pair, that half needs three
      // bytes, does not fit, and is left for the next turn.
      ({ read, written } = encoder.encodeInto(text.slice(from, from + room.length), room));
      core.xxh64Update(streamState, slot3, written);
    }
    return u64(core.xxh64Digest(streamState));
  }

  xxh64U64(key: bigint, seed: bigint): bigint {
    return u64(this.start().core.xxh64OfU64(key, seed));
  }

  xxh64U64Column(keys: BigUint64Array, seed: bigint, hashes: BigUint64Array): void {
    const { core } = this.start();
    this.#map(keys, hashes, (from, to, rows) => core.xxh64U64Column(from, to, rows, seed));
  }

  xxh64TextColumn(texts: readonly string[], seed: bigint, hashes: BigUint64Array): void {
    this.#mapTexts(texts, hashes, this.#hashing(seed), (text) => this.xxh64Text(text, seed));
  }

  xxh64SpanColumn(spans: Spans, seed: bigint, hashes: BigUint64Array): void {
    this.#mapSpans(spans, hashes, this.#hashing(seed), (data) => this.xxh64(data, seed));
  }

  #hashing(seed: bigint): SpanKernel {
    const { core } = this.start();
    return (data, starts, ends, hashes, rows) => {
      core.xxh64Spans(data, starts, ends, hashes, rows, seed);
      return rows;
    };
  }

  xxh64Init(state: Uint8Array, seed: bigint): void {
    const { core, streamState } = this.start();
    core.xxh64Init(streamState, seed);
    this.#keepState(state);
  }

  xxh64Update(state: Uint8Array, data: Uint8Array): void {
    this.#loadState(state);
    this.#updateStream(data);
    this.#keepState(state);
  }

  xxh64Digest(state: Uint8Array): bigint {
    this.#loadState(state);
    const { core, streamState } = this.start();
    return u64(core.xxh64Digest(streamState));
  }

  jumpHash(key: bigint, buckets: number): number {
    return this.start().core.jumpHash(key, buckets);
  }

  jumpHashColumn(keys: BigUint64Array, buckets: number, shards: Uint32Array): void {
    const { core } = this.start();
    this.#map(keys, shards, (from, to, rows) => core.jumpHashColumn(from, to, rows, buckets));
  }

  fastRange(hash: bigint, n: number): number {
    return this.start().core.fastRange(hash, n) >>> 0;
  }

  fastRangeColumn(hashes: BigUint64Array, n: number, shards: Uint32Array): void {
    const { core } = this.start();
    this.#map(hashes, shards, (from, to, rows) => core.fastRangeColumn(from, to, rows, n));
  }

  moduloColumn(hashes: BigUint64Array, n: number, shards: Uint32Array): void {
    const { core } = this.start();
    this.#map(hashes, shards, (from, to, rows) => core.moduloColumn(from, to, rows, n));
  }

  splitMix64Column(keys: BigUint64Array, increment: bigint, mixed: BigUint64Array): void {
    const { core } = this.start();
    this.#map(keys, mixed, (from, to, rows) => core.splitMix64Column(from, to, rows, increment));
  }

  pack(fields: readonly FieldColumn[], base: bigint, ids: BigUint64Array): void {
    for (const field of fields) sameLength(field.values, ids);
    const { core, slot1, pieceRows } = this.start();
    for (let from = 0; from < ids.length; from += pieceRows) {
      const rows = Math.min(pieceRows, ids.length - from);
      const [idsAt, copyBack] = this.#output(ids, from, rows);
      core.fill(idsAt, rows, base);
      for (const { values, shift, mask } of fields) {
        core.pack(typeCode(values), this.#input(values, from, rows, slot1), idsAt, rows, shift, mask);
      }
      copyBack?.();
    }
  }

  unpack(ids: BigUint64Array, fields: readonly FieldColumn[]): void {
    for (const field of fields) sameLength(field.values, ids);
    const { core, slot1, pieceRows } = this.start();
    for (let from = 0; from < ids.length; from += pieceRows) {
      const rows = Math.min(pieceRows, ids.length - from);
      const idsAt = this.#input(ids, from, rows, slot1);
      for (const { values, shift, mask } of fields) {
        const [valuesAt, copyBack] = this.#output(values, from, rows);
        core.unpack(typeCode(values), idsAt, valuesAt, rows, shift, mask);
        copyBack?.();
      }
    }
  }

  firstOutside(values: ColumnArray, min: bigint, max: bigint): number {
    const { core, slot1, pieceRows } = this.start();
    for (let from = 0; from < values.length; from += pieceRows) {
      const rows = Math.min(pieceRows, values.length - from);
      const row = core.firstOutside(typeCode(values), this.#input(values, from, rows, slot1), rows, min, max);
      if (row < rows) return from + row;
    }
    return -1;
  }

  formatColumn(ids: BigUint64Array, format: TextFormat, text: Uint8Array): void {
    const { width, alphabet } = TEXT_FORMATS[format];
    const { core, encoder, memory, digits, slot1, slot3, pieceRows, pieceBytes } = this.start();
    encoder.encodeInto(alphabet, memory.views.u8.subarray(digits));
    const mostRows = Math.min(pieceRows, Math.floor(pieceBytes / width));
    for (let from = 0; from < ids.length; from += mostRows) {
      const rows = Math.min(mostRows, ids.length - from);
      core.formatColumn(this.#input(ids, from, rows, slot1), slot3, rows, alphabet.length, width, digits);
      text.set(memory.views.u8.subarray(slot3, slot3 + rows * width), from * width);
    }
  }

  parseSpans(spans: Spans, format: TextFormat, ids: BigUint64Array): number {
    return this.#mapSpans(spans, ids, this.#parsing(format), (data) => parseLong(data, format));
  }

  parseTexts(texts: readonly string[], format: TextFormat, ids: BigUint64Array): number {
    const { encoder } = this.start();
    return this.#mapTexts(texts, ids, this.#parsing(format), (text) => parseLong(encoder.encode(text), format));
  }

  #parsing(format: TextFormat): SpanKernel {
    const { core, memory, digits } = this.start();
    memory.views.u8.set(digitOf(format), digits);
    const radix = TEXT_FORMATS[format].alphabet.length;
    return (data, starts, ends, ids, rows) => core.parseColumn(data, starts, ends, ids, rows, radix, digits);
  }

  lines(data: Uint8Array, from: number, to: number, starts: Uint32Array, ends: Uint32Array): number {
    const { core } = this.start();
    return core.lines(this.#at(data), from, to, this.#at(starts), this.#at(ends), ends.length);
  }

  shardedRows({ data, starts, ends }: Spans, shards: Uint32Array, text: Uint8Array): number {
    const { core } = this.start();
    const at = [data, starts, ends, shards].map((array) => this.#at(array)) as [number, number, number, number];
    return core.shardedRows(...at, shards.length, this.#at(text)) >>> 0;
  }

  shardRows(shards: Uint32Array, text: Uint8Array): number {
    return this.start().core.shardRows(this.#at(shards), shards.length, this.#at(text)) >>> 0;
  }

  /**
   * Runs a kernel over byte strings, as many at a time as a piece holds; `long` does the same for one
   * that is longer. Returns the first row that is refused, or -1.
   */
  #mapSpans(
    { data, starts, ends }: Spans,
    out: BigUint64Array,
    kernel: SpanKernel,
    long: (row: Uint8Array) => bigint | undefined,
  ): number {
    sameLength(starts, ends);
    sameLength(starts, out);
    const { memory, slot2, slot3, pieceBytes, pieceRows } = this.start();
    const resident = memory.addressOf(data);
    for (let from = 0; from < starts.length; ) {
      const first = starts[from] as number;
      let to = Math.min(from + pieceRows, starts.length);
      let address = resident;
      if (resident < 0) {
        to = from + rowsEndingBy(ends, from, to, first + pieceBytes);
        if (to === from) {
          const value = long(rowsOf(data, first, ends[from] as number));
          if (value === undefined) return from;
          out[from++] = value;
          continue;
        }
        memory.views.u8.set(rowsOf(data, first, ends[to - 1] as number), slot3);
        address = slot3 - first; // starts count from the beginning of `data`
      }
      const rows = to - from;
      const startsAt = this.#input(starts, from, rows, slot2);
      const endsAt = this.#input(ends, from, rows, slot2 + pieceRows * 4);
      const [outAt, copyBack] = this.#output(out, from, rows);
      const done = kernel(address, startsAt, endsAt, outAt, rows);
      copyBack?.();
      if (done < rows) return from + done;
      from = to;
    }
    return -1;
  }

  /** As {@link WasmKernels.#mapSpans}, over texts. */
  #mapTexts(
    texts: readonly string[],
    out: BigUint64Array,
    kernel: SpanKernel,
    long: (text: string) => bigint | undefined,
  ): number {
    sameLength(texts, out);
    const instance = this.start();
    for (let from = 0, wide = false; from < texts.length; ) {
      const { rows, starts, ends, ...piece } = encodePiece(instance, texts, from, wide);
      wide = piece.wide;
      if (rows === 0) {
        const value = long(texts[from] as string);
        if (value === undefined) return from;
        out[from++] = value;
        continue;
      }
      const [outAt, copyBack] = this.#output(out, from, rows);
      const done = kernel(instance.slot3, starts, ends, outAt, rows);
      copyBack?.();
      if (done < rows) return from + done;
      from += rows;
    }
    return -1;
  }

  /** Runs a kernel from one column to another, piece by piece. */
  #map(
    input: BigUint64Array,
    output: BigUint64Array | Uint32Array,
    kernel: (from: number, to: number, rows: number) => void,
  ): void {
    sameLength(input, output);
    const { slot1, pieceRows } = this.start();
    for (let from = 0; from < input.length; from += pieceRows) {
      const rows = Math.min(pieceRows, input.length - from);
      const inputAt = this.#input(input, from, rows, slot1);
      const [outputAt, copyBack] = this.#output(output, from, rows);
      kernel(inputAt, outputAt, rows);
      copyBack?.();
    }
  }

  /** Where a kernel finds rows of a column: where they are, or copied to a slot. */
  #input(array: ColumnArray, from: number, rows: number, slot: number): number {
    const { memory } = this.start();
    const address = memory.addressOf(array);
    if (address >= 0) return address + from * array.BYTES_PER_ELEMENT;
    const view = memory.views[columnType(array)] as Uint8Array;
    view.set(rowsOf(array, from, from + rows) as Uint8Array, slot / array.BYTES_PER_ELEMENT);
    return slot;
  }

  /** Where a kernel writes rows of a column, and how they get out from there if they must. */
  #output(array: ColumnArray, from: number, rows: number): [address: number, copyBack?: () => void] {
    const { memory, slot0 } = this.start();
    const address = memory.addressOf(array);
    if (address >= 0) return [address + from * array.BYTES_PER_ELEMENT];
    const view = memory.views[columnType(array)] as Uint8Array;
    const at = slot0 / array.BYTES_PER_ELEMENT;
    return [slot0, () => (array as Uint8Array).set(view.subarray(at, at + rows), from)];
  }

  /** The address of an array that has to be a resident column's. */
  #at(array: ColumnArray): number {
    const address = this.start().memory.addressOf(array);
    if (address < 0) throw new TypeError('expected the current array of a column of these kernels');
    return address;
  }

  #updateStream(data: Uint8Array): void {
    const { core, memory, slot3, pieceBytes, streamState } = this.start();
    const address = memory.addressOf(data);
    if (address >= 0) {
      core.xxh64Update(streamState, address, data.length);
      return;
    }
    for (let from = 0; from < data.length; from += pieceBytes) {
      const piece = rowsOf(data, from, Math.min(from + pieceBytes, data.length));
      memory.views.u8.set(piece, slot3);
      core.xxh64Update(streamState, slot3, piece.length);
    }
  }

  #loadState(state: Uint8Array): void {
    const { memory, streamState } = this.start();
    memory.views.u8.set(state, streamState);
  }

  #keepState(state: Uint8Array): void {
    const { memory, streamState } = this.start();
    state.set(memory.views.u8.subarray(streamState, streamState + state.length));
  }
}

const TYPES: readonly ColumnType[] = ['u8', 'u16', 'u32', 'f64', 'u64'];

/** The number of an element type, as assembly/index.ts has it. */
function typeCode(array: ColumnArray): number {
  return TYPES.indexOf(columnType(array));
}

/** Works on rows of `data` and returns how many were done: all, or up to one that is refused. */
type SpanKernel = (data: number, starts: number, ends: number, out: number, rows: number) => number;

/** A number that does not fit a piece: nearly all zeros, if it is a u64 at all. */
function parseLong(data: Uint8Array, format: TextFormat): bigint | undefined {
  const id = new BigUint64Array(1);
  const spans = { data, starts: Uint32Array.of(0), ends: Uint32Array.of(data.length) };
  return bigint.parseSpans(spans, format, id) < 0 ? id[0] : undefined;
}

/** WebAssembly hands an i64 over as a signed bigint. */
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);

/** How many rows of from..to end at `limit` or before; `ends` ascends. */
function rowsEndingBy(ends: Uint32Array, from: number, to: number, limit: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - from;
}

const kernels = /* @__PURE__ */ new WasmKernels();

/** The kernels in WebAssembly, compiled at first use. */
export const wasm: Kernels = kernels;

/**
 * Sees to it that the WebAssembly kernels run, on a compiled module if given. Once they run they
 * stay, with the columns that live in their memory.
 * @throws CompileBlockedError where WebAssembly is missing or forbidden
 */
export function startWasm(module?: WebAssembly.Module): void {
  kernels.start(module);
}
