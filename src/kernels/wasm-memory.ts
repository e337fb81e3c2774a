import { COLUMN_ARRAYS, type Column, type ColumnArrays, type ColumnType, checkColumn, freed } from './contract.js';

const PAGE_BYTES = 65536;
const LAST_PAGE = 65535;
const ALIGNMENT = 16;

/**
 * The only holder of views of linear memory: below `heap` lie the slots for pieces of columns that
 * live elsewhere, from there on the resident columns, first fit.
 */
export class WasmMemory {
  /** Views of all of memory, renewed when it grows. */
  views!: ColumnArrays;
  #memory: WebAssembly.Memory;
  /** Free ranges in ascending order, no two adjacent. */
  #free: { address: number; byteLength: number }[];

  constructor(memory: WebAssembly.Memory, heap: number) {
    this.#memory = memory;
    const address = align(heap);
    this.#free = [{ address, byteLength: memory.buffer.byteLength - address }];
    this.#renewViews();
  }

  /** The address of an array that lies in this memory, or -1. */
  addressOf(array: ArrayBufferView): number {
    return array.buffer === this.views.u8.buffer ? array.byteOffset : -1;
  }

  column<T extends ColumnType>(type: T, length: number): Column<T> {
    checkColumn(type, length);
    const byteLength = align(Math.max(length, 1) * COLUMN_ARRAYS[type].BYTES_PER_ELEMENT);
    const address = this.#allocate(byteLength);
    this.views.u8.fill(0, address, address + byteLength);
    return new WasmColumn(this, type, length, address, () => this.#release(address, byteLength));
  }

  #allocate(byteLength: number): number {
    let index = this.#free.findIndex((range) => range.byteLength >= byteLength);
    if (index < 0) {
      this.#grow(byteLength);
      index = this.#free.length - 1;
    }
    const range = this.#free[index] as { address: number; byteLength: number };
    const address = range.address;
    range.address += byteLength;
    range.byteLength -= byteLength;
    if (range.byteLength === 0) this.#free.splice(index, 1);
    return address;
  }

  #grow(byteLength: number): void {
    const end = this.#memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const spare = last !== undefined && last.address + last.byteLength === end ? last.byteLength : 0;
    const pages = Math.ceil((byteLength - spare) / PAGE_BYTES);
    try {
      // The last page stays out of reach, so that no end of a column is 2^32, which is 0 to the kernels.
      if (end / PAGE_BYTES + pages > LAST_PAGE) throw new RangeError('WebAssembly memory ends at 4 GiB');
      this.#memory.grow(pages);
    } catch (cause) {
      throw new RangeError(`no room for ${byteLength} more bytes in WebAssembly memory (${end} in use)`, { cause });
    }
    this.#renewViews();
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

  #renewViews(): void {
    const buffer = this.#memory.buffer;
    this.views = {
      u8: new Uint8Array(buffer),
      u16: new Uint16Array(buffer),
      u32: new Uint32Array(buffer),
      f64: new Float64Array(buffer),
      u64: new BigUint64Array(buffer),
    };
  }
}

class WasmColumn<T extends ColumnType> implements Column<T> {
  #array: ColumnArrays[T] | undefined;
  #release: (() => void) | undefined;

  constructor(
    private readonly memory: WasmMemory,
    readonly type: T,
    readonly length: number,
    private readonly address: number,
    release: () => void,
  ) {
    this.#release = release;
  }

  get array(): ColumnArrays[T] {
    if (this.#release === undefined) throw freed();
    const buffer = this.memory.views.u8.buffer as ArrayBuffer;
    if (this.#array?.buffer !== buffer) {
      this.#array = new COLUMN_ARRAYS[this.type](buffer, this.address, this.length) as ColumnArrays[T];
    }
    return this.#array;
  }

  free(): void {
    this.#release?.();
    this.#release = undefined;
    this.#array = undefined;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

function align(byteLength: number): number {
  return Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;
}
