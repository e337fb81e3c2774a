import type { ColumnArrays } from './contract.js';

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
    this.views = {
      u8: new Uint8Array(buffer),
      u16: new Uint16Array(buffer),
      u32: new Uint32Array(buffer),
      f64: new Float64Array(buffer),
      u64: new BigUint64Array(buffer),
    };
  }
}
