// The ABI of the module for records, which works in the core's memory and is loaded where files have columns. Addresses,
// byte lengths and counts are u32. Nothing is checked here: the caller answers for addresses, lengths and ranges.

// csvRecords(data, from, to, isEnd, delimiter, slots u8[last + 1], last, starts u32[], ends u32[], keyStarts u32[],
//   keyEnds u32[], most, stop u32[5]): cuts CSV into records and finds some of their fields, see csv.ts
export { csvRecords } from './csv';

// jsonRecords(data, starts u32[], ends u32[], rows, paths, isRefused, longest, work, keyStarts u32[], keyEnds u32[],
//   closes u32[], most, stop u32[5]): checks lines of JSON and finds values along paths, see json.ts
export { jsonRecords } from './json';

// keyColumn(data, keyStarts u32[], keyEnds u32[], rows, most, fields, isJson, text, offsets u32[rows + 1]): writes the
//   keys that were found one after the other, see keys.ts
export { keyColumn } from './keys';

// decimalColumn(values u32[], rows, text, offsets u32[rows + 1]): writes values in decimal one after the other
// appendColumn(data, starts u32[rows + 1], ends u32[], closes u32[], isJson, rows, values, offsets u32[rows + 1], before,
//   beforeLength, after, afterLength, text): writes records with one more field or property, see append.ts
export { appendColumn, decimalColumn } from './append';
