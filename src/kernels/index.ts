// `shardbits/kernels`
export { bigint } from './bigint.js';
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
export { wasm } from './wasm.js';
