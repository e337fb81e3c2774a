import { u64 } from '../u64.js';
import {
  COLUMN_TYPES,
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
import { type Core, startCore } from './core.js';
import { idOf } from './one-text.js';
import { digitOf, TEXT_FORMATS, type TextFormat } from './text-formats.js';
import { WasmInstance } from './wasm-instance.js';
import { inputAddress, mapColumn, mapSpans, mapTexts, outputAddress, type SpanKernel } from './wasm-staging.js';

/**
 * The kernels in WebAssembly. Nothing is compiled until the first call. An i64 comes back as a signed
 * bigint, hence `u64` around it.
 */
class WasmKernels implements Kernels {
  readonly name = 'wasm';
  #instance: WasmInstance | undefined;

  start(core: () => Core = startCore): WasmInstance {
    this.#instance ??= new WasmInstance(core());
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
    const instance = this.start();
    mapColumn(instance, keys, hashes, (from, to, rows) => instance.core.xxh64U64Column(from, to, rows, seed));
  }

  xxh64TextColumn(texts: readonly string[], seed: bigint, hashes: BigUint64Array): void {
    mapTexts(this.start(), texts, hashes, this.#hashing(seed), (text) => this.xxh64Text(text, seed));
  }

  xxh64SpanColumn(spans: Spans, seed: bigint, hashes: BigUint64Array): void {
    mapSpans(this.start(), spans, hashes, this.#hashing(seed), (data) => this.xxh64(data, seed));
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
    const instance = this.start();
    mapColumn(instance, keys, shards, (from, to, rows) => instance.core.jumpHashColumn(from, to, rows, buckets));
  }

  fastRange(hash: bigint, n: number): number {
    return this.start().core.fastRange(hash, n) >>> 0;
  }

  fastRangeColumn(hashes: BigUint64Array, n: number, shards: Uint32Array): void {
    const instance = this.start();
    mapColumn(instance, hashes, shards, (from, to, rows) => instance.core.fastRangeColumn(from, to, rows, n));
  }

  moduloColumn(hashes: BigUint64Array, n: number, shards: Uint32Array): void {
    const instance = this.start();
    mapColumn(instance, hashes, shards, (from, to, rows) => instance.core.moduloColumn(from, to, rows, n));
  }

  splitMix64Column(keys: BigUint64Array, increment: bigint, mixed: BigUint64Array): void {
    const instance = this.start();
    mapColumn(instance, keys, mixed, (from, to, rows) => instance.core.splitMix64Column(from, to, rows, increment));
  }

  pack(fields: readonly FieldColumn[], base: bigint, ids: BigUint64Array): boolean {
    for (const field of fields) sameLength(field.values, ids);
    const instance = this.start();
    const { core, slot1, pieceRows } = instance;
    let isGood = 1;
    for (let from = 0; from < ids.length; from += pieceRows) {
      const rows = Math.min(pieceRows, ids.length - from);
      const [idsAt, copyBack] = outputAddress(instance, ids, from, rows);
      core.fill(idsAt, rows, base);
      for (const { values, shift, mask, epoch } of fields) {
        const at = inputAddress(instance, values, from, rows, slot1);
        const isTime = epoch === undefined ? 0 : 1;
        isGood &= core.pack(typeCode(values), at, idsAt, rows, shift, mask, isTime, epoch ?? 0);
      }
      copyBack?.();
    }
    return isGood === 1;
  }

  unpack(ids: BigUint64Array, fields: readonly FieldColumn[]): void {
    for (const field of fields) sameLength(field.values, ids);
    const instance = this.start();
    const { core, slot1, pieceRows } = instance;
    for (let from = 0; from < ids.length; from += pieceRows) {
      const rows = Math.min(pieceRows, ids.length - from);
      const idsAt = inputAddress(instance, ids, from, rows, slot1);
      for (const { values, shift, mask, epoch = 0 } of fields) {
        const [valuesAt, copyBack] = outputAddress(instance, values, from, rows);
        core.unpack(typeCode(values), idsAt, valuesAt, rows, shift, mask, epoch);
        copyBack?.();
      }
    }
  }

  firstOutside(values: BigUint64Array, min: bigint, max: bigint): number {
    const instance = this.start();
    const { core, slot1, pieceRows } = instance;
    for (let from = 0; from < values.length; from += pieceRows) {
      const rows = Math.min(pieceRows, values.length - from);
      const row = core.firstOutside(inputAddress(instance, values, from, rows, slot1), rows, min, max);
      if (row < rows) return from + row;
    }
    return -1;
  }

  formatColumn(ids: BigUint64Array, format: TextFormat, text: Uint8Array): void {
    const { width, alphabet } = TEXT_FORMATS[format];
    const instance = this.start();
    const { core, encoder, memory, digits, slot1, slot3, pieceRows, pieceBytes } = instance;
    encoder.encodeInto(alphabet, memory.views.u8.subarray(digits));
    const mostRows = Math.min(pieceRows, Math.floor(pieceBytes / width));
    for (let from = 0; from < ids.length; from += mostRows) {
      const rows = Math.min(mostRows, ids.length - from);
      core.formatColumn(inputAddress(instance, ids, from, rows, slot1), slot3, rows, alphabet.length, width, digits);
      text.set(memory.views.u8.subarray(slot3, slot3 + rows * width), from * width);
    }
  }

  parseSpans(spans: Spans, format: TextFormat, ids: BigUint64Array): number {
    return mapSpans(this.start(), spans, ids, this.#parsing(format), (data) =>
      idOf(new TextDecoder().decode(data.slice()), format),
    );
  }

  parseTexts(texts: readonly string[], format: TextFormat, ids: BigUint64Array): number {
    const instance = this.start();
    return mapTexts(instance, texts, ids, this.#parsing(format), (text) => idOf(text, format));
  }

  #parsing(format: TextFormat): SpanKernel {
    const { core, memory, digits } = this.start();
    memory.views.u8.set(digitOf(format), digits);
    const radix = TEXT_FORMATS[format].alphabet.length;
    return (data, starts, ends, ids, rows) => core.parseColumn(data, starts, ends, ids, rows, radix, digits);
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

/** The number of an element type, as assembly/index.ts has it. */
function typeCode(array: ColumnArray): number {
  return COLUMN_TYPES.indexOf(columnType(array));
}

const kernels = /* @__PURE__ */ new WasmKernels();

/** The running core, for kernels that have files of their own. */
export const wasmInstance = (): WasmInstance => kernels.start();

/** The kernels in WebAssembly, compiled at first use. */
export const wasm: Kernels = kernels;

/**
 * Sees to it that the WebAssembly kernels run, on a core if given. Once they run they stay, with the
 * columns that live in their memory.
 * @throws CompileBlockedError where WebAssembly is missing or forbidden
 */
export function startWasm(core?: () => Core): void {
  kernels.start(core);
}
