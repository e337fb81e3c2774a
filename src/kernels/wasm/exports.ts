import { CompileBlockedError } from '../../errors.js';
import { CORE_VERSION } from './core.generated.js';
import { coreModule } from './core-module.js';

type Address = number;
type U32 = number;
type U64 = bigint;

/** The index of an element type in COLUMN_TYPES. */
type Type = number;

/** The module's exports; see `assembly/index.ts`. A u32 comes back signed. */
export interface Core {
  memory: WebAssembly.Memory;
  DIGITS: WebAssembly.Global;
  HEAP: WebAssembly.Global;
  PIECE_BYTES: WebAssembly.Global;
  PIECE_ROWS: WebAssembly.Global;
  SCRATCH: WebAssembly.Global;
  SLOT_0: WebAssembly.Global;
  SLOT_1: WebAssembly.Global;
  SLOT_2: WebAssembly.Global;
  SLOT_3: WebAssembly.Global;
  STREAM_STATE: WebAssembly.Global;

  xxh64(data: Address, byteLength: U32, seed: U64): U64;
  xxh64OfU64(key: U64, seed: U64): U64;
  xxh64U64Column(keys: Address, hashes: Address, rows: U32, seed: U64): void;
  xxh64Spans(data: Address, starts: Address, ends: Address, hashes: Address, rows: U32, seed: U64): void;
  xxh64Init(state: Address, seed: U64): void;
  xxh64Update(state: Address, data: Address, byteLength: U32): void;
  xxh64Digest(state: Address): U64;

  jumpHash(key: U64, buckets: U32): U32;
  jumpHashColumn(keys: Address, shards: Address, rows: U32, buckets: U32): void;
  fastRange(hash: U64, n: U32): U32;
  fastRangeColumn(hashes: Address, shards: Address, rows: U32, n: U32): void;
  moduloColumn(hashes: Address, shards: Address, rows: U32, n: U32): void;
  splitMix64Column(keys: Address, mixed: Address, rows: U32, increment: U64): void;

  fill(ids: Address, rows: U32, value: U64): void;
  pack(
    type: Type,
    values: Address,
    ids: Address,
    rows: U32,
    shift: number,
    mask: U64,
    isTime: number,
    offset: number,
  ): number;
  unpack(type: Type, ids: Address, values: Address, rows: U32, shift: number, mask: U64, offset: number): void;
  firstOutside(values: Address, rows: U32, min: U64, max: U64): U32;

  toUtf8(units: Address, ends: Address, rows: U32, text: Address): void;

  lines(data: Address, from: U32, to: U32, starts: Address, ends: Address, most: U32): U32;
  shardedRows(data: Address, starts: Address, ends: Address, shards: Address, rows: U32, text: Address): U32;
  shardRows(shards: Address, rows: U32, text: Address): U32;

  formatColumn(values: Address, text: Address, rows: U32, radix: U32, width: U32, alphabet: Address): void;
  parseColumn(
    data: Address,
    starts: Address,
    ends: Address,
    values: Address,
    rows: U32,
    radix: U32,
    digitOf: Address,
  ): U32;
}

/**
 * Starts a core.
 * @param module a compiled core; by default the embedded one
 * @throws CompileBlockedError if WebAssembly is missing or forbidden, or cannot get memory
 */
export function startCore(module?: WebAssembly.Module): Core {
  try {
    return coreOf(new WebAssembly.Instance(module ?? coreModule()));
  } catch (cause) {
    throw new CompileBlockedError(cause);
  }
}

/** Like {@link startCore}, but never compiles on the calling thread: Chromium did not allow that to pages until 2023. */
export async function loadCore(module: WebAssembly.Module): Promise<Core> {
  try {
    return coreOf(await WebAssembly.instantiate(module));
  } catch (cause) {
    throw new CompileBlockedError(cause);
  }
}

/** Uses the exports directly: the loader's wrappers take 4 ns a call, and 0.3 of the 3 ms of a first hash. */
function coreOf({ exports }: WebAssembly.Instance): Core {
  return exports as unknown as Core;
}

/** Whether a module is the core of this version of the package: assembly/build.mjs adds a section that says so. */
export function isCore(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.customSections(module, CORE_VERSION).length > 0;
}
