import { isHash32, jsPartitioners, writeShortAscii } from '../js/partitioners.js';
import { type ForeignHash, type PartitionerKernels, TOKEN_SIGNS, viewOf } from '../types.js';
import { wasmInstance } from './instance.js';
import type { PartitionersExports } from './partitioners.generated.js';
import { mapColumn, mapSpans, mapTexts, type SpanKernel, stageUnits } from './staging.js';

// Slot 1 then holds the UTF-16 units of the rows, and where each row starts and ends.
const UNIT_PIECE = { bytes: 32 * 1024 - 8, rows: 8 * 1024 };

export const wasmPartitioners = (core: PartitionersExports): PartitionerKernels => ({
  hashSpans(hash, rows, hashes) {
    mapSpans(rows, hashes, hashing(core, hash), (row) => jsPartitioners.hashBytes(hash, row));
  },

  hashTexts(hash, texts, hashes) {
    mapTexts(texts, hashes, hashing(core, hash), (text) => jsPartitioners.hashText(hash, text));
  },

  hashUnits(hash, texts, hashes) {
    mapTexts(texts, hashes, hashing(core, hash), (text) => jsPartitioners.hashTextUnits(hash, text), stageUnits);
  },

  hashSpansAsUnits(hash, rows, hashes) {
    const unitStarts = wasmInstance().slot1;
    const unitEnds = unitStarts + 4 * UNIT_PIECE.rows;
    const units = unitEnds + 4 * UNIT_PIECE.rows;
    const hashUnits = hashing(core, hash);
    const kernel: SpanKernel = (data, starts, ends, out, rows) => {
      const done = core.toUtf16(data, starts, ends, rows, units, unitStarts, unitEnds);
      return hashUnits(units, unitStarts, unitEnds, out, done);
    };
    const long = (data: Uint8Array) => {
      const row = { data, starts: Uint32Array.of(0), ends: Uint32Array.of(data.length) };
      const one = isHash32(hash) ? new Uint32Array(1) : new BigUint64Array(1);
      return jsPartitioners.hashSpansAsUnits(hash, row, one) < 0 ? one[0] : undefined;
    };
    return mapSpans(rows, hashes, kernel, long, UNIT_PIECE);
  },

  hashBytes(hash, bytes) {
    const { memory, slot3, pieceBytes } = wasmInstance();
    if (bytes.length > pieceBytes) return jsPartitioners.hashBytes(hash, bytes);
    memory.views.u8.set(bytes, slot3);
    return staged(core, hash, bytes.length);
  },

  hashText(hash, text) {
    const instance = wasmInstance();
    if (writeShortAscii(text, instance.memory.views.u8, instance.slot3)) return staged(core, hash, text.length);
    const { read, written } = instance.encoder.encodeInto(text, instance.textRoom());
    return read === text.length ? staged(core, hash, written) : jsPartitioners.hashText(hash, text);
  },

  hashTextUnits(hash, text) {
    const instance = wasmInstance();
    if (2 * text.length > instance.pieceBytes) return jsPartitioners.hashTextUnits(hash, text);
    instance.writeUnits(text, instance.slot3);
    return staged(core, hash, 2 * text.length);
  },

  sipHashTexts(texts, key, width, hashes) {
    const halves = new DataView(key.buffer, key.byteOffset);
    const k0 = halves.getBigUint64(0, true);
    const k1 = halves.getBigUint64(8, true);
    // Hashes of 16 bytes may fill slots 0 and 1, which adjoin. The encoded texts are in slots 2 and 3.
    const kernel: SpanKernel = (data, starts, ends, out, rows) => {
      core.keyedSipHash(data, starts, ends, out, rows, k0, k1, 8 * width);
      return rows;
    };
    const long = (text: string, row: number) => {
      const hash = viewOf(hashes, width * row, width * (row + 1));
      jsPartitioners.sipHashTexts([text], key, width, hash);
      return hash[0];
    };
    mapTexts(texts, hashes, kernel, long, undefined, width);
  },

  remainders(tokens, sign, n, shards) {
    const code = TOKEN_SIGNS.indexOf(sign);
    mapColumn(tokens, shards, (_, from, to, rows) => core.remainders(from, to, rows, n, code));
  },
});

function hashing(core: PartitionersExports, hash: ForeignHash): SpanKernel {
  const kernel = core[hash];
  return (data, starts, ends, hashes, rows) => {
    kernel(data, starts, ends, hashes, rows);
    return rows;
  };
}

/** The hash of the first `byteLength` bytes of slot 3. */
function staged(core: PartitionersExports, hash: ForeignHash, byteLength: number): number | bigint {
  const { memory, slot0, slot2, slot3 } = wasmInstance();
  const { u32, u64 } = memory.views;
  u32[slot2 / 4] = 0;
  u32[slot2 / 4 + 1] = byteLength;
  core[hash](slot3, slot2, slot2 + 4, slot0, 1);
  return (isHash32(hash) ? u32[slot0 / 4] : u64[slot0 / 8]) as number | bigint;
}
