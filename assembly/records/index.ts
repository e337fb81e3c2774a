// The ABI of the module for records, which works in the core's memory and is loaded if files have columns. Addresses, byte
// lengths and counts are u32. Nothing is checked here: the caller is responsible for addresses, lengths and ranges.

// csvRecords(data, from, to, isEnd, delimiter, fields, slots u8[last + 1], last, starts u32[], ends u32[],
//   keyStarts u32[], keyEnds u32[], most, stop u32[5]): cuts CSV into records and finds some of their fields, see csv.ts
// dumpRecords(data, from, to, isEnd, delimiter, quote, escaper, fields, …): the same with escapes, or without quotes
export { csvRecords, dumpRecords } from './csv';

// jsonRecords(data, starts u32[], ends u32[], rows, paths, refusedPaths, longest, work, closes u32[], keyStarts u32[],
//   keyEnds u32[], most, stop u32[5]): checks lines of JSON and finds the values of paths, see json.ts
export { jsonRecords } from './json';

// keyColumn(data, keyStarts u32[], keyEnds u32[], rows, most, fields, isJson, quote, escaper, text,
//   offsets u32[rows + 1]): writes the keys that were found one
//   after the other, see keys.ts
export { keyColumn } from './keys';

// appendColumn(data, starts u32[rows + 1], ends u32[], closes u32[] or 0, rows, values, offsets u32[rows + 1], text):
//   writes records with more fields or properties, see append.ts
// prefixLines(data, starts u32[], ends u32[], rows, values, offsets u32[rows + 1], text): writes texts and lines
export { appendColumn, prefixLines } from './append';

// scatterRows(data, starts u32[rows + 1], ends u32[], shards u32[], first, rows, isWhole, buffers, capacity, filled u32[]):
//   copies rows to the buffers of their shards, see scatter.ts
export { scatterRows } from './scatter';

// tableRows(columns u32[6 * (count + 1)], count, rows, text, offsets u32[rows + 1]): writes rows of values between fixed
//   texts, see table.ts
export { tableRows } from './table';

// parseDates(data, starts u32[], ends u32[], values f64[], rows): reads dates as Unix milliseconds, see dates.ts
export { parseDates } from './dates';
