import { COLUMN_ARRAYS, COLUMN_TYPES, type Column, type ColumnArrays, type ColumnType, checkColumn } from '../types.js';

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

  constructor(private readonly memory: WasmMemory) {
    const address = align(memory.heap);
    this.#release(address, memory.views.u8.length - address);
  }

  column<T extends ColumnType>(type: T, length: number): Column<T> {
    checkColumn(type, length);
    const byteLength = align(Math.max(length, 1) * COLUMN_ARRAYS[type].BYTES_PER_ELEMENT);
    const address = this.#allocate(byteLength);
    this.memory.views.u8.fill(0, address, address + byteLength);
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
