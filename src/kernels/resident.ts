import { kernels } from './active.js';
import { jsKernels } from './js/core.js';
import {
  COLUMN_ARRAYS,
  type Column,
  type ColumnArrays,
  type ColumnType,
  type CoreKernels,
  checkColumn,
  freed,
  type Kernels,
} from './types.js';
import { wasmKernels } from './wasm/core.js';
import { wasmInstance } from './wasm/instance.js';
import { WasmHeap } from './wasm/memory.js';

// Separate from the other kernels because most programs do not need resident columns, which take half a KB of gzip.

let heap: WasmHeap | undefined;

/** The kernels in WebAssembly, compiled at first use. */
export const wasm: Kernels = /* @__PURE__ */ withColumns(wasmKernels, (type, length) => {
  heap ??= new WasmHeap(wasmInstance().memory);
  return heap.column(type, length);
});

/**
 * The kernels in plain BigInt and doubles. They run where WebAssembly is missing or forbidden, and are what the
 * WebAssembly kernels are tested against and measured with.
 */
export const bigint: Kernels = /* @__PURE__ */ withColumns(jsKernels, (type, length) => new HeapColumn(type, length));

function withColumns(core: CoreKernels, column: Kernels['column']): Kernels {
  // A spread would read `scratch`, which compiles the core.
  const kernels = Object.getOwnPropertyDescriptors(core);
  return Object.create(Object.prototype, { ...kernels, column: { value: column, enumerable: true } }) as Kernels;
}

/** The kernels in use. */
export function kernelsWithColumns(): Kernels {
  return kernels().name === 'wasm' ? wasm : bigint;
}

class HeapColumn<T extends ColumnType> implements Column<T> {
  #array: ColumnArrays[T] | undefined;

  constructor(
    readonly type: T,
    readonly length: number,
  ) {
    checkColumn(type, length);
    this.#array = new COLUMN_ARRAYS[type](length) as ColumnArrays[T];
  }

  get array(): ColumnArrays[T] {
    if (this.#array === undefined) throw freed();
    return this.#array;
  }

  free(): void {
    this.#array = undefined;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}
