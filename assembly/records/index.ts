// The ABI of the module for records, which works in the core's memory and is loaded where files have columns. Addresses,
// byte lengths and counts are u32. Nothing is checked here: the caller answers for addresses, lengths and ranges.

// csvRecords(data, from, to, isEnd, delimiter, slots u8[last + 1], last, starts u32[], ends u32[], keyStarts u32[],
//   keyEnds u32[], most, stop u32[5]): cuts CSV into records and finds some of their fields, see csv.ts
// keyColumn(data, keyStarts u32[], keyEnds u32[], rows, most, fields, text, offsets u32[rows + 1]): writes keys one after the other
export { csvRecords, keyColumn } from './csv';
