import type { ColumnArrays } from './contract.js';

/**
 * Linear memory: below `heap` lie the slots for pieces of columns that live elsewhere, from there on the resident
 * columns. Views of it that are kept elsewhere have a length of 0 once it has grown.
 */
export class WasmMemory {
  buffer!: ArrayBuffer;
  /** Views of all of it. */
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

  /** To be called when memory has grown. */
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
