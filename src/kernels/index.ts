/**
 * The column kernels themselves, and columns that stay in the memory of WebAssembly.
 * @module shardbits/kernels
 */

export type {
  Column,
  ColumnArray,
  ColumnArrays,
  ColumnType,
  FieldColumn,
  Kernels,
  Spans,
  TextFormat,
} from './contract.js';
export { PIECE_ROWS, STREAM_STATE_BYTES } from './contract.js';
export { bigint, wasm } from './resident-columns.js';
