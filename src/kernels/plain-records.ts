import { rowsOf } from './contract.js';
import { csvRecords, unquoted } from './plain-csv.js';
import { jsonRecords, unescaped } from './plain-json.js';
import type { RecordKernels } from './record-contract.js';

const NEWLINE = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;

const encoder = new TextEncoder();

/** The kernels for records in plain JavaScript. */
export const plainRecords: RecordKernels = {
  csvRecords,
  jsonRecords,

  keyColumn(data, { keyStarts, keyEnds, most, fields, format }, rows, text, offsets) {
    const unquote = format === 'json' ? unescaped : unquoted;
    let to = 0;
    const write = (bytes: Uint8Array) => {
      text.set(bytes, to);
      to += bytes.length;
    };
    offsets[0] = 0;
    for (let row = 0; row < rows; row++) {
      for (let field = 0; field < fields; field++) {
        const place = field * most + row;
        const value = unquote(rowsOf(data, keyStarts[place] as number, keyEnds[place] as number));
        const isLast = field === fields - 1;
        if (!isLast) write(encoder.encode(`${value.length}:`));
        write(value);
        if (!isLast) text[to++] = COLON;
      }
      offsets[row + 1] = to;
    }
  },

  decimalColumn(values, text, offsets) {
    offsets[0] = 0;
    for (const [row, value] of values.entries()) {
      const at = offsets[row] as number;
      offsets[row + 1] = at + encoder.encodeInto(String(value), text.subarray(at)).written;
    }
  },

  appendColumn({ data, starts, ends, closes }, { text: values, offsets, around, beforeLength, afterLength }, text) {
    let to = 0;
    const copy = (from: Uint8Array, start: number, end: number) => {
      text.set(rowsOf(from, start, end), to);
      to += end - start;
    };
    for (let row = 0; row < ends.length; row++) {
      const [start, end, next] = [starts[row] as number, ends[row] as number, starts[row + 1] as number];
      const at = closes === undefined ? end : (closes[row] as number);
      copy(data, start, at);
      if (closes !== undefined && !isEmpty(data, at)) text[to++] = COMMA;
      copy(around, 0, beforeLength);
      copy(values, offsets[row] as number, offsets[row + 1] as number);
      copy(around, beforeLength, beforeLength + afterLength);
      copy(data, at, next);
      if (next === end) text[to++] = NEWLINE;
    }
    return to;
  },
};

/** Whether an object has nothing but space before its last brace. */
function isEmpty(data: Uint8Array, close: number): boolean {
  let at = close - 1;
  while ((data[at] as number) <= SPACE) at--;
  return data[at] === OPEN_OBJECT;
}
