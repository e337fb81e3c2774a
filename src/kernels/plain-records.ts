import { rowsOf } from './contract.js';
import { csvRecords, unquoted } from './plain-csv.js';
import { jsonRecords, unescaped } from './plain-json.js';
import type { RecordKernels } from './record-contract.js';

const COLON = 0x3a;

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
};
