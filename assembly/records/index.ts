// The ABI of the module for records, which works in the core's memory and is loaded if files have columns. Addresses, byte
// lengths and counts are u32. Nothing is checked here: the caller is responsible for addresses, lengths and ranges.
// `RecordKernels` in src/kernels/record-types.ts says what each function does. Columns are u32[], except slots u8[] and
// dates f64[].
export { appendColumn, keyColumn, prefixLines, scatterRows } from './write';
export { csvRecords } from './csv';
export { jsonRecords } from './json';
export { parseDates, tableRows } from './table';
