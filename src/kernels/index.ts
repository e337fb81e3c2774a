/**
 * The column kernels themselves, and columns that stay in the memory of WebAssembly.
 * @module shardbits/kernels
 */

export { bigint, wasm } from './active.js';
export type { Column, ColumnArray, ColumnArrays, ColumnType, FieldColumn, Kernels, Spans } from './types.js';
export { PIECE_ROWS, STREAM_STATE_BYTES, type TextFormat } from './types.js';
