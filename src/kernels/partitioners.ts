import { isHash32, plainPartitioners, writeShortAscii } from './js/partitioners.js';
import {
  type CoreKernels,
  type ForeignHash,
  type PartitionerKernels,
  type Spans,
  sameLength,
  TOKEN_SIGNS,
} from './types.js';
import { running } from './wasm/instance.js';
import { partitionersModule } from './wasm/partitioners-module.js';
import {
  encodePiece,
  mapColumn,
  mapSpans,
  mapTexts,
  mapUnits,
  outputAddress,
  type SpanKernel,
} from './wasm/staging.js';

/** The partitioner kernels of a backend: plain JavaScript also if the core runs but no other module may be compiled. */
export function partitionerKernels({ name }: CoreKernels): PartitionerKernels {
  return name === 'wasm' && loaded() !== undefined ? wasmPartitioners : plainPartitioners;
}

type HashKernel = (
  data: number,
  starts: number,
  ends: number,
  hashes: number,
  rows: number,
  crcTables: number, // which the others do not take
) => void;

/** The module's exports; see `assembly/partitioners/index.ts`. A u32 comes back signed. */
type PartitionersCore = { readonly [name in ForeignHash]: HashKernel } & {
  crcTables(tables: number): void;
  keyedSipHash(
    data: number,
    starts: number,
    ends: number,
    hashes: number,
    rows: number,
    k0: bigint,
    k1: bigint,
    width: number,
  ): void;
  remainders(tokens: number, shards: number, rows: number, n: number, sign: number): void;
  toUtf16(
    data: number,
    starts: number,
    ends: number,
    rows: number,
    units: number,
    unitStarts: number,
    unitEnds: number,
  ): number;
};

const CRC_TABLES_BYTES = 12 * 1024;

// Slot 1 then holds the UTF-16 units of the rows, and where each row starts and ends.
const UNIT_PIECE = { bytes: 32 * 1024 - 8, rows: 8 * 1024 };

/** The module, with its tables just below the heap. Memory must not grow while columns are worked on. */
class Loaded {
  readonly core: PartitionersCore;
  readonly crcTables: number;

  constructor(module: WebAssembly.Module) {
    const { core, memory } = running();
    const { exports } = new WebAssembly.Instance(module, { env: { memory: core.memory } });
    this.core = exports as unknown as PartitionersCore;
    this.crcTables = memory.heap - CRC_TABLES_BYTES;
    this.core.crcTables(this.crcTables);
  }
}

let instance: Loaded | undefined;
let isForbidden = false;

function loaded(): Loaded | undefined {
  if (instance !== undefined || isForbidden) return instance;
  const module = compiled();
  isForbidden = module === undefined;
  instance = module && new Loaded(module);
  return instance;
}

function compiled(): WebAssembly.Module | undefined {
  try {
    return partitionersModule();
  } catch {
    return undefined;
  }
}

const wasmPartitioners: PartitionerKernels = {
  hashSpans(hash, rows, hashes) {
    mapSpans(rows, hashes, hashing(hash), (row) => plainPartitioners.hashBytes(hash, row));
  },

  hashTexts(hash, texts, hashes) {
    mapTexts(texts, hashes, hashing(hash), (text) => plainPartitioners.hashText(hash, text));
  },

  hashUnits(hash, texts, hashes) {
    mapUnits(texts, hashes, hashing(hash), (text) => plainPartitioners.hashTextUnits(hash, text));
  },

  hashSpansAsUnits(hash, rows, hashes) {
    const { core } = loaded() as Loaded;
    const unitStarts = running().slot1;
    const unitEnds = unitStarts + 4 * UNIT_PIECE.rows;
    const units = unitEnds + 4 * UNIT_PIECE.rows;
    const hashUnits = hashing(hash);
    const kernel: SpanKernel = (data, starts, ends, out, rows) => {
      const done = core.toUtf16(data, starts, ends, rows, units, unitStarts, unitEnds);
      return hashUnits(units, unitStarts, unitEnds, out, done);
    };
    const long = (row: Uint8Array) => {
      const one = isHash32(hash) ? new Uint32Array(1) : new BigUint64Array(1);
      return plainPartitioners.hashSpansAsUnits(hash, spanOf(row), one) < 0 ? one[0] : undefined;
    };
    return mapSpans(rows, hashes, kernel, long, UNIT_PIECE);
  },

  hashBytes(hash, bytes) {
    const { memory, slot3, pieceBytes } = running();
    if (bytes.length > pieceBytes) return plainPartitioners.hashBytes(hash, bytes);
    memory.views.u8.set(bytes, slot3);
    return staged(hash, bytes.length);
  },

  hashText(hash, text) {
    const instance = running();
    if (writeShortAscii(text, instance.memory.views.u8, instance.slot3)) return staged(hash, text.length);
    const { read, written } = instance.encoder.encodeInto(text, instance.textRoom());
    return read === text.length ? staged(hash, written) : plainPartitioners.hashText(hash, text);
  },

  hashTextUnits(hash, text) {
    const instance = running();
    if (2 * text.length > instance.pieceBytes) return plainPartitioners.hashTextUnits(hash, text);
    instance.writeUnits(text, instance.slot3);
    return staged(hash, 2 * text.length);
  },

  sipHashTexts(texts, key, width, hashes) {
    sameLength({ length: width * texts.length }, hashes);
    const { core } = loaded() as Loaded;
    const halves = new DataView(key.buffer, key.byteOffset);
    const k0 = halves.getBigUint64(0, true);
    const k1 = halves.getBigUint64(8, true);
    for (let from = 0, wide = false; from < texts.length; ) {
      const { rows, starts, ends, ...piece } = encodePiece(texts, from, wide);
      wide = piece.wide;
      if (rows === 0) {
        const place = hashes.subarray(width * from, width * (from + 1));
        plainPartitioners.sipHashTexts([texts[from++]], key, width, place);
        continue;
      }
      // Hashes of 16 bytes may fill slots 0 and 1, which adjoin. The encoded texts are in slots 2 and 3.
      const [hashesAt, copyBack] = outputAddress(hashes, width * from, width * rows);
      core.keyedSipHash(running().slot3, starts, ends, hashesAt, rows, k0, k1, 8 * width);
      copyBack?.();
      from += rows;
    }
  },

  remainders(tokens, sign, n, shards) {
    const { core } = loaded() as Loaded;
    const code = TOKEN_SIGNS.indexOf(sign);
    mapColumn(tokens, shards, (_, from, to, rows) => core.remainders(from, to, rows, n, code));
  },
};

function hashing(hash: ForeignHash): SpanKernel {
  const { core, crcTables } = loaded() as Loaded;
  const kernel = core[hash];
  return (data, starts, ends, hashes, rows) => {
    kernel(data, starts, ends, hashes, rows, crcTables);
    return rows;
  };
}

/** The hash of the first `byteLength` bytes of slot 3. */
function staged(hash: ForeignHash, byteLength: number): number | bigint {
  const { core, crcTables } = loaded() as Loaded;
  const { memory, slot0, slot2, slot3 } = running();
  const { u32, u64 } = memory.views;
  u32[slot2 / 4] = 0;
  u32[slot2 / 4 + 1] = byteLength;
  core[hash](slot3, slot2, slot2 + 4, slot0, 1, crcTables);
  return (isHash32(hash) ? u32[slot0 / 4] : u64[slot0 / 8]) as number | bigint;
}

function spanOf(data: Uint8Array): Spans {
  return { data, starts: Uint32Array.of(0), ends: Uint32Array.of(data.length) };
}
