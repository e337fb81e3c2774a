import { u64 } from '../../arguments.js';
import { idOf } from '../ids.js';
import {
  COLUMN_TYPES,
  type ColumnArray,
  type CoreKernels,
  columnType,
  digitOf,
  sameLength,
  TEXT_FORMATS,
  type TextFormat,
  viewOf,
} from '../types.js';
import { wasmInstance } from './instance.js';
import { inputAddress, mapColumn, mapSpans, mapTexts, outputAddress, type SpanKernel } from './staging.js';

/** The kernels in WebAssembly. An i64 comes back as a signed bigint, so `u64` is put around it. */
export const wasmKernels: CoreKernels = {
  name: 'wasm',

  get scratch(): BigUint64Array {
    return wasmInstance().scratch();
  },

  xxh64(data, seed) {
    const { core, memory, slot3, pieceBytes, streamState } = wasmInstance();
    const address = memory.addressOf(data);
    if (address >= 0) return u64(core.xxh64(address, data.length, seed));
    if (data.length <= pieceBytes) {
      memory.views.u8.set(data, slot3);
      return u64(core.xxh64(slot3, data.length, seed));
    }
    core.xxh64Init(streamState, seed);
    updateStream(data);
    return u64(core.xxh64Digest(streamState));
  },

  xxh64Text(text, seed) {
    const instance = wasmInstance();
    const { core, slot3, streamState, encoder } = instance;
    const room = instance.textRoom();
    let { read, written } = encoder.encodeInto(text, room);
    if (read === text.length) return u64(core.xxh64(slot3, written, seed));
    core.xxh64Init(streamState, seed);
    core.xxh64Update(streamState, slot3, written);
    for (let from = read; from < text.length; from += read) {
      // At most as many units as there are bytes. If the cut splits a surrogate pair, its first half needs
      // three bytes, does not fit, and is left for the next turn.
      ({ read, written } = encoder.encodeInto(text.slice(from, from + room.length), room));
      core.xxh64Update(streamState, slot3, written);
    }
    return u64(core.xxh64Digest(streamState));
  },

  xxh64U64(key, seed) {
    return u64(wasmInstance().core.xxh64OfU64(key, seed));
  },

  xxh64U64Column(keys, seed, hashes) {
    mapColumn(keys, hashes, (core, from, to, rows) => core.xxh64U64Column(from, to, rows, seed));
  },

  xxh64TextColumn(texts, seed, hashes) {
    mapTexts(texts, hashes, hashing(seed), (text) => wasmKernels.xxh64Text(text, seed));
  },

  xxh64SpanColumn(spans, seed, hashes) {
    mapSpans(spans, hashes, hashing(seed), (data) => wasmKernels.xxh64(data, seed));
  },

  xxh64Init(state, seed) {
    const { core, streamState } = wasmInstance();
    core.xxh64Init(streamState, seed);
    keepState(state);
  },

  xxh64Update(state, data) {
    loadState(state);
    updateStream(data);
    keepState(state);
  },

  xxh64Digest(state) {
    loadState(state);
    const { core, streamState } = wasmInstance();
    return u64(core.xxh64Digest(streamState));
  },

  jumpHash(key, buckets) {
    return wasmInstance().core.jumpHash(key, buckets);
  },

  jumpHashColumn(keys, buckets, shards) {
    mapColumn(keys, shards, (core, from, to, rows) => core.jumpHashColumn(from, to, rows, buckets));
  },

  fastRange(hash, n) {
    return wasmInstance().core.fastRange(hash, n) >>> 0;
  },

  fastRangeColumn(hashes, n, shards) {
    mapColumn(hashes, shards, (core, from, to, rows) => core.fastRangeColumn(from, to, rows, n));
  },

  moduloColumn(hashes, n, shards) {
    mapColumn(hashes, shards, (core, from, to, rows) => core.moduloColumn(from, to, rows, n));
  },

  splitMix64Column(keys, increment, mixed) {
    mapColumn(keys, mixed, (core, from, to, rows) => core.splitMix64Column(from, to, rows, increment));
  },

  pack(fields, base, ids) {
    for (const field of fields) sameLength(field.values, ids);
    if (fields.length === 0) {
      ids.fill(base);
      return true;
    }
    const { core, memory, slot1, slot2, pieceRows } = wasmInstance();
    memory.views.u64.fill(base, slot2 / 8, slot2 / 8 + 8);
    let isGood = 1;
    for (let from = 0; from < ids.length; from += pieceRows) {
      const rows = Math.min(pieceRows, ids.length - from);
      const [idsAt, copyBack] = outputAddress(ids, from, rows);
      let before = slot2;
      for (const { values, shift, mask, epoch } of fields) {
        const at = inputAddress(values, from, rows, slot1);
        const isTime = epoch === undefined ? 0 : 1;
        isGood &= core.pack(typeCode(values), at, before, idsAt, rows, shift, mask, isTime, epoch ?? 0);
        before = idsAt;
      }
      copyBack?.();
    }
    return isGood === 1;
  },

  unpack(ids, fields) {
    for (const field of fields) sameLength(field.values, ids);
    const { core, slot1, pieceRows } = wasmInstance();
    for (let from = 0; from < ids.length; from += pieceRows) {
      const rows = Math.min(pieceRows, ids.length - from);
      const idsAt = inputAddress(ids, from, rows, slot1);
      for (const { values, shift, mask, epoch = 0 } of fields) {
        const [valuesAt, copyBack] = outputAddress(values, from, rows);
        core.unpack(typeCode(values), idsAt, valuesAt, rows, shift, mask, epoch);
        copyBack?.();
      }
    }
  },

  firstOutside(values, min, max) {
    const { core, slot1, pieceRows } = wasmInstance();
    for (let from = 0; from < values.length; from += pieceRows) {
      const rows = Math.min(pieceRows, values.length - from);
      const row = core.firstOutside(inputAddress(values, from, rows, slot1), rows, min, max);
      if (row < rows) return from + row;
    }
    return -1;
  },

  formatColumn(ids, format, text) {
    const { width, alphabet } = TEXT_FORMATS[format];
    const { core, encoder, memory, digits, slot1, slot3, pieceRows, pieceBytes } = wasmInstance();
    encoder.encodeInto(alphabet, memory.views.u8.subarray(digits));
    const mostRows = Math.min(pieceRows, Math.floor(pieceBytes / width));
    for (let from = 0; from < ids.length; from += mostRows) {
      const rows = Math.min(mostRows, ids.length - from);
      core.formatColumn(inputAddress(ids, from, rows, slot1), slot3, rows, alphabet.length, width, digits);
      text.set(memory.views.u8.subarray(slot3, slot3 + rows * width), from * width);
    }
  },

  parseSpans(spans, format, ids) {
    return mapSpans(spans, ids, parsing(format), (data) => idOf(new TextDecoder().decode(data.slice()), format));
  },

  parseTexts(texts, format, ids) {
    return mapTexts(texts, ids, parsing(format), (text) => idOf(text, format));
  },
};

function hashing(seed: bigint): SpanKernel {
  const { core } = wasmInstance();
  return (data, starts, ends, hashes, rows) => {
    core.xxh64Spans(data, starts, ends, hashes, rows, seed);
    return rows;
  };
}

function parsing(format: TextFormat): SpanKernel {
  const { core, memory, digits } = wasmInstance();
  memory.views.u8.set(digitOf(format), digits);
  const radix = TEXT_FORMATS[format].alphabet.length;
  return (data, starts, ends, ids, rows) => core.parseColumn(data, starts, ends, ids, rows, radix, digits);
}

function updateStream(data: Uint8Array): void {
  const { core, memory, slot3, pieceBytes, streamState } = wasmInstance();
  const address = memory.addressOf(data);
  if (address >= 0) {
    core.xxh64Update(streamState, address, data.length);
    return;
  }
  for (let from = 0; from < data.length; from += pieceBytes) {
    const piece = viewOf(data, from, Math.min(from + pieceBytes, data.length));
    memory.views.u8.set(piece, slot3);
    core.xxh64Update(streamState, slot3, piece.length);
  }
}

function loadState(state: Uint8Array): void {
  const { memory, streamState } = wasmInstance();
  memory.views.u8.set(state, streamState);
}

function keepState(state: Uint8Array): void {
  const { memory, streamState } = wasmInstance();
  state.set(memory.views.u8.subarray(streamState, streamState + state.length));
}

/** The number of an element type in assembly/index.ts. */
function typeCode(array: ColumnArray): number {
  return COLUMN_TYPES.indexOf(columnType(array));
}
