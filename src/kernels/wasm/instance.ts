import { CompileBlockedError } from '../../errors.js';
import { encoder } from '../../utf8.js';
import { COLUMN_ARRAYS, COLUMN_TYPES, type Column, type ColumnArrays, type ColumnType, checkColumn } from '../types.js';
import { CORE_VERSION, CORE_WASM, type CoreExports } from './core.generated.js';

/**
 * The embedded modules that are compiled already, by name: workerd compiles only before a program runs, and threads get those
 * of the thread that starts them.
 */
export const precompiled: { [name: string]: WebAssembly.Module } = {};

/**
 * The code of an embedded module. It is in hexadecimal, because compressors then see whole bytes: the core takes 5.4 KB of
 * gzip, and 7.0 in base64.
 */
export function embedded(wasm: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as { Buffer?: BufferConstructor };
  if (Buffer !== undefined) return Buffer.from(wasm, 'hex'); // in Node, Bun and Deno; saves 1 ms
  return Uint8Array.from(wasm.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** Compiles an embedded module, which takes a millisecond or two. */
export function compiled(name: string, wasm: string): WebAssembly.Module {
  precompiled[name] ??= new WebAssembly.Module(embedded(wasm));
  return precompiled[name];
}

/** The core, for those that compile it by themselves. */
export const coreCode = () => precompiled.core ?? embedded(CORE_WASM);

/**
 * Starts a core.
 * @param module a compiled core; by default the embedded one
 * @throws CompileBlockedError if WebAssembly is missing or forbidden, or cannot get memory
 */
export function startCore(module?: WebAssembly.Module): CoreExports {
  try {
    // Not through the loader: its wrappers take 4 ns a call, and 0.3 of the 3 ms of a first hash.
    return new WebAssembly.Instance(module ?? compiled('core', CORE_WASM)).exports as CoreExports;
  } catch (cause) {
    throw new CompileBlockedError(cause);
  }
}

/** Like {@link startCore}, but never compiles on the calling thread: Chromium did not allow that to pages until 2023. */
export async function loadCore(module: WebAssembly.Module): Promise<CoreExports> {
  try {
    return (await WebAssembly.instantiate(module)).exports as CoreExports;
  } catch (cause) {
    throw new CompileBlockedError(cause);
  }
}

/** Whether a module is the core of this version of the package: assembly/build.mjs adds a section that says so. */
export function isCore(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.customSections(module, CORE_VERSION).length > 0;
}

/** A running core, with its globals read. */
function instanceOf(core: CoreExports) {
  const memory = new WasmMemory(core.memory, core.HEAP.value);
  const [pieceRows, pieceBytes, slot3] = [core.PIECE_ROWS.value, core.PIECE_BYTES.value, core.SLOT_3.value];
  let room: Uint8Array | undefined;
  let unitWriter: Buffer | undefined;
  let scratch: BigUint64Array | undefined;
  return {
    core,
    memory,
    encoder: encoder(),
    pieceRows,
    pieceBytes,
    slot0: core.SLOT_0.value,
    slot1: core.SLOT_1.value,
    slot2: core.SLOT_2.value,
    slot3,
    streamState: core.STREAM_STATE.value,
    digits: core.DIGITS.value,

    /** A view of slot 3, for encoded text. */
    textRoom() {
      // The view has a length of 0 after memory has grown.
      if (!room?.length) room = new Uint8Array(memory.buffer, slot3, pieceBytes);
      return room;
    },

    /** Writes a text as UTF-16, in bulk if there is a Buffer (in Node, Bun and Deno). */
    writeUnits(text: string, address: number): void {
      const { buffer, views } = memory;
      if (unitWriter?.buffer !== buffer) {
        const { Buffer } = globalThis as { Buffer?: BufferConstructor };
        unitWriter = Buffer?.from(buffer);
      }
      if (unitWriter) unitWriter.write(text, address, 'utf16le');
      else for (let i = 0; i < text.length; i++) views.u16[address / 2 + i] = text.charCodeAt(i);
    },

    scratch() {
      if (!scratch?.length) scratch = new BigUint64Array(memory.buffer, core.SCRATCH.value, pieceRows);
      return scratch;
    },
  };
}

let instance: ReturnType<typeof instanceOf> | undefined;

/**
 * The running core. The first call starts it and keeps it running, because resident columns live in its memory.
 * @param core starts the core; by default the embedded one is compiled
 * @throws CompileBlockedError if WebAssembly is missing or forbidden
 */
export function wasmInstance(core: () => CoreExports = startCore): ReturnType<typeof instanceOf> {
  instance ??= instanceOf(core());
  return instance;
}

/**
 * Linear memory. Below `heap` lie the slots for pieces of columns that live elsewhere; from `heap` on, resident columns.
 * When the memory grows, all views from before get a length of 0.
 */
export class WasmMemory {
  buffer!: ArrayBuffer;
  /** Views of the whole memory. */
  views!: ColumnArrays;

  constructor(
    readonly memory: WebAssembly.Memory,
    readonly heap: number,
  ) {
    this.renewViews();
  }

  /** The address of an array that lies in this memory, or -1. */
  addressOf(array: ArrayBufferView): number {
    return array.buffer === this.buffer ? array.byteOffset : -1;
  }

  /** Call this when the memory has grown. */
  renewViews(): void {
    const { buffer } = this.memory;
    this.buffer = buffer;
    const views = COLUMN_TYPES.map((type) => [type, new COLUMN_ARRAYS[type](buffer)]);
    this.views = Object.fromEntries(views) as ColumnArrays;
  }
}

const PAGE_BYTES = 65536;
const LAST_PAGE = 65535;
const ALIGNMENT = 16;

/** Allocates resident columns in linear memory, first fit. */
export class WasmHeap {
  /** Free ranges in ascending order; adjacent ones are merged. */
  readonly #free: { address: number; byteLength: number }[] = [];
  /** Memory from here on has not been used, and is zero: a column of 8 MB that is never filled then takes no time. */
  #unused: number;

  constructor(private readonly memory: WasmMemory) {
    const address = align(memory.heap);
    this.#unused = address;
    this.#release(address, memory.views.u8.length - address);
  }

  column<T extends ColumnType>(type: T, length: number): Column<T> {
    checkColumn(type, length);
    const byteLength = align(Math.max(length, 1) * COLUMN_ARRAYS[type].BYTES_PER_ELEMENT);
    const address = this.#allocate(byteLength);
    const end = address + byteLength;
    this.memory.views.u8.fill(0, address, Math.min(end, this.#unused));
    this.#unused = Math.max(end, this.#unused);
    return new MemoryColumn(this.memory, type, length, address, () => this.#release(address, byteLength));
  }

  #allocate(byteLength: number): number {
    let index = this.#free.findIndex((range) => range.byteLength >= byteLength);
    if (index < 0) {
      this.#grow(byteLength);
      index = this.#free.length - 1;
    }
    const range = this.#free[index];
    const address = range.address;
    range.address += byteLength;
    range.byteLength -= byteLength;
    if (range.byteLength === 0) this.#free.splice(index, 1);
    return address;
  }

  #grow(byteLength: number): void {
    const end = this.memory.memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const spare = last !== undefined && last.address + last.byteLength === end ? last.byteLength : 0;
    const pages = Math.ceil((byteLength - spare) / PAGE_BYTES);
    try {
      // The last page is never used, so that no column ends at 2^32, which would be 0 to the kernels.
      if (end / PAGE_BYTES + pages > LAST_PAGE) throw new RangeError('WebAssembly memory is limited to 4 GiB');
      this.memory.memory.grow(pages);
    } catch (cause) {
      throw new RangeError(`no room for ${byteLength} more bytes in WebAssembly memory (${end} in use)`, { cause });
    }
    this.memory.renewViews();
    this.#release(end, pages * PAGE_BYTES);
  }

  #release(address: number, byteLength: number): void {
    const free = this.#free;
    const next = free.findIndex((range) => range.address > address);
    const index = next < 0 ? free.length : next;
    free.splice(index, 0, { address, byteLength });
    for (const at of [index, index - 1]) {
      const left = free[at];
      const right = free[at + 1];
      if (left !== undefined && right !== undefined && left.address + left.byteLength === right.address) {
        left.byteLength += right.byteLength;
        free.splice(at + 1, 1);
      }
    }
  }
}

/** A column in a memory, whose buffer is another one when it has grown. */
export class MemoryColumn<T extends ColumnType> implements Column<T> {
  #memory: { readonly buffer: ArrayBuffer } | undefined;
  #array: ColumnArrays[T] | undefined;

  constructor(
    memory: { readonly buffer: ArrayBuffer },
    readonly type: T,
    readonly length: number,
    private readonly address = 0,
    private readonly release?: () => void,
  ) {
    this.#memory = memory;
  }

  get array(): ColumnArrays[T] {
    if (this.#memory === undefined) throw new TypeError('this column has been freed');
    const { buffer } = this.#memory;
    if (this.#array?.buffer !== buffer) {
      this.#array = new COLUMN_ARRAYS[this.type](buffer, this.address, this.length) as ColumnArrays[T];
    }
    return this.#array;
  }

  free(): void {
    if (this.#memory) this.release?.();
    this.#memory = undefined;
    this.#array = undefined;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

function align(byteLength: number): number {
  return Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;
}
