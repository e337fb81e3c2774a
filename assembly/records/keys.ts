// Writes the keys of records, as csvRecords and jsonRecords have found them, as a column.

import { writeU32 } from '../digits';
import { COLON, NO_BYTE } from './bytes';
import { unquote } from './csv';
import { unescape } from './json';

const LENGTH_BYTES: usize = 12; // ten digits and two colons

// Writes the keys one after the other: the key of row i is text + offsets[i] .. text + offsets[i + 1]. The key of one field is
// its value. The key of several fields is all their values, each except the last as "byte length:value:", so that different
// keys always differ as text. Needs room for the fields, and LENGTH_BYTES for each except the last.
export function keyColumn(
  data: usize,
  keyStarts: usize,
  keyEnds: usize,
  rows: u32,
  most: u32,
  fields: u32,
  isJson: bool,
  quote: u32,
  escaper: u32,
  text: usize,
  offsets: usize,
): void {
  let to = text;
  store<u32>(offsets, 0);
  for (let i: u32 = 0; i < rows; i++) {
    for (let field: u32 = 0; field < fields; field++) {
      const place = (<usize>(field * most + i)) << 2;
      const from = data + load<u32>(keyStarts + place);
      const end = data + load<u32>(keyEnds + place);
      if (field + 1 == fields) {
        to = writeValue(from, end, isJson, quote, escaper, to);
      } else {
        const value = to + LENGTH_BYTES;
        const byteLength = <u32>(writeValue(from, end, isJson, quote, escaper, value) - value);
        to = writeU32(to, byteLength);
        store<u8>(to++, COLON);
        memory.copy(to, value, byteLength);
        to += byteLength;
        store<u8>(to++, COLON);
      }
    }
    store<u32>(offsets + ((<usize>i) << 2), <u32>(to - text), 4);
  }
}

function writeValue(from: usize, end: usize, isJson: bool, quote: u32, escaper: u32, to: usize): usize {
  const isQuoted = from < end && <u32>load<u8>(from) == quote;
  if (isQuoted && isJson) return unescape(from + 1, end - 1, to);
  if (isQuoted) return unquote(from + 1, end - 1, quote, escaper, to);
  if (!isJson && escaper != NO_BYTE) return unquote(from, end, quote, escaper, to);
  memory.copy(to, from, end - from);
  return to + (end - from);
}
