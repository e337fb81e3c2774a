import { checkAttached, typeName, wrongKind, wrongValue } from '../arguments.js';
import { CompileBlockedError } from '../errors.js';
import { jsKernels } from './js/core.js';
import { COLUMN_ARRAYS, type Column, type ColumnType, type CoreKernels, checkColumn, type Kernels } from './types.js';
import { wasmKernels } from './wasm/core.js';
import { coreCode, isCore, loadCore, MemoryColumn, startCore, WasmHeap, wasmInstance } from './wasm/instance.js';

/** These are missing where a program is compiled with neither the DOM's types nor Node's. */
type Module = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : never;
type Response = typeof globalThis extends { Response: { prototype: infer R } } ? R : never;

let active: CoreKernels | undefined;

/** The kernels in use. Chooses a backend if none has been chosen yet. */
export function kernels(): CoreKernels {
  active ??= automatic();
  return active;
}

function automatic(): CoreKernels {
  try {
    wasmInstance();
    return wasmKernels;
  } catch (error) {
    if (error instanceof CompileBlockedError) return jsKernels;
    throw error;
  }
}

/**
 * Which backend is in use: `wasm`, or `bigint` if WebAssembly is missing or forbidden. Chooses a backend if
 * none has been chosen yet.
 * @example
 * getBackend(); // 'wasm'
 */
export function getBackend(): 'wasm' | 'bigint' {
  return kernels().name;
}

/**
 * Chooses the backend for later calls. Both backends give the same results.
 * @param which `auto` (the default until this is called): WebAssembly if it is available, decided at first use;
 *   `wasm`; `bigint`; or a compiled module of this package's `core.wasm`, where compiling bytes is forbidden
 * @throws TypeError if `which` is neither a string nor a module
 * @throws RangeError if `which` is another string, or a module that is not this package's core
 * @throws CompileBlockedError for `wasm` or a module if WebAssembly cannot run; the choice stays as it was
 * @example
 * setBackend('bigint');
 */
export function setBackend(which: 'auto' | 'wasm' | 'bigint' | Module): void {
  if (which === 'auto') active = undefined;
  else if (which === 'bigint') active = jsKernels;
  else if (which === 'wasm') {
    wasmInstance();
    active = wasmKernels;
  } else if (isModule(which)) {
    if (!isCore(which)) throw notCore('which', which);
    wasmInstance(() => startCore(which));
    active = wasmKernels;
  } else {
    throw (typeof which === 'string' ? wrongValue : wrongKind)('which', "'auto', 'wasm', 'bigint' or a module", which);
  }
}

/**
 * Compiles the WebAssembly backend off the main thread and puts it in use. This is optional: the first use
 * compiles it otherwise, which takes a millisecond or two. All errors are rejections.
 * @param source `core.wasm` as a compiled module, a response, the promise of one, or bytes; by default
 *   the copy embedded in the package
 * @throws TypeError if `source` is of another kind
 * @throws RangeError if `source` is not this package's `core.wasm`, or the response is not `ok`
 * @throws CompileBlockedError if WebAssembly is missing or forbidden
 * @example
 * await loadBackend(fetch('/core.wasm'));
 */
export async function loadBackend(
  source?: Module | Response | Promise<Response> | ArrayBuffer | ArrayBufferView,
): Promise<void> {
  const awaited = await source;
  const given = awaited === undefined ? coreCode() : awaited;
  const module = isModule(given) ? given : await compile(await bytesOf(given));
  if (!isCore(module)) throw notCore('source', given);
  const core = await loadCore(module);
  wasmInstance(() => core);
  active = wasmKernels;
}

async function compile(bytes: BufferSource): Promise<Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    // Are the bytes a module at all? Validating blocks the thread, so it comes only after a failure.
    if (typeof WebAssembly !== 'undefined' && !WebAssembly.validate(bytes)) throw notCore('source', bytes);
    throw new CompileBlockedError(cause);
  }
}

async function bytesOf(response: Response | BufferSource): Promise<BufferSource> {
  if (isBytes(response)) {
    checkAttached('source', response);
    return response;
  }
  if (typeName(response) !== 'Response') throw wrongKind('source', 'a module, a response or bytes', response);
  if (!response.ok) throw wrongValue('source', 'a response that is ok', response.status);
  return response.arrayBuffer();
}

function isBytes(value: unknown): value is BufferSource {
  return ArrayBuffer.isView(value) || typeName(value) === 'ArrayBuffer';
}

function isModule(value: unknown): value is Module {
  return typeName(value) === 'WebAssembly.Module';
}

function notCore(argument: string, got: unknown): RangeError {
  return wrongValue(argument, "this version's core.wasm", got, undefined, 'another module');
}

// Bundlers leave resident columns, half a KB of gzip, out of programs that do not use them.

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
