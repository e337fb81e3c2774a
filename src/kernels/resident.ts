import { kernels } from './active.js';
import { jsKernels } from './js/core.js';
import { COLUMN_ARRAYS, type Column, type ColumnType, type CoreKernels, checkColumn, type Kernels } from './types.js';
import { wasmKernels } from './wasm/core.js';
import { MemoryColumn, WasmHeap, wasmInstance } from './wasm/instance.js';

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
export const bigint: Kernels = /* @__PURE__ */ withColumns(jsKernels, (type, length) => {
  checkColumn(type, length);
  return new MemoryColumn({ buffer: new COLUMN_ARRAYS[type](length).buffer }, type, length);
});

function withColumns(core: CoreKernels, column: Kernels['column']): Kernels {
  // A spread would read `scratch`, which compiles the core.
  const kernels = Object.getOwnPropertyDescriptors(core);
  return Object.create(Object.prototype, { ...kernels, column: { value: column, enumerable: true } }) as Kernels;
}

/** The kernels in use. */
export function kernelsWithColumns(): Kernels {
  return kernels().name === 'wasm' ? wasm : bigint;
}

/** Kernels whose columns are freed together. */
export interface Workspace extends Kernels {
  free(): void;
}

export function openWorkspace(kernels: Kernels = kernelsWithColumns()): Workspace {
  const columns: Column<ColumnType>[] = [];
  const column: Kernels['column'] = (type, length) => {
    const made = kernels.column(type, length);
    columns.push(made);
    return made;
  };
  const free = () => {
    for (const one of columns) one.free();
  };
  return Object.create(kernels, { column: { value: column }, free: { value: free } }) as Workspace;
}

/** The current arrays of columns, by the same names. */
export function arraysOf<C extends { readonly [name: string]: Column<ColumnType> }>(columns: C) {
  const arrays = Object.entries(columns).map(([name, { array }]) => [name, array]);
  return Object.fromEntries(arrays) as { readonly [N in keyof C]: C[N]['array'] };
}

/**
 * Room for as many bytes as were ever needed at once.
 * @returns a function that gives a column with room for so many bytes, valid until the next call. It throws a RangeError
 *   if there is no memory
 */
export function growingBytes(kernels: Kernels): (needed: number) => Column<'u8'> {
  let column: Column<'u8'> | undefined;
  return (needed) => {
    if (column !== undefined && column.length >= needed) return column;
    column?.free();
    column = undefined;
    column = kernels.column('u8', Math.ceil(1.5 * needed));
    return column;
  };
}
