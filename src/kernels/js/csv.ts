import { type CsvBytes, type CsvColumns, Fault, lengthAt, NO_BYTE, RAGGED, Stop } from '../record-types.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LETTER_N = 0x4e;

/** {@link RecordKernels.csvRecords} in plain JavaScript, a byte at a time. */
export function csvRecords(bytes: CsvBytes, found: CsvColumns): number {
  const { data, from, to } = bytes;
  const { starts, stop, most } = found;
  stop.fill(0);
  if (found.escaper !== NO_BYTE) stop[Stop.ESCAPED] = 1;
  starts[0] = from;
  let count = 0;
  for (let start = from; count < most && start < to; starts[count] = start) {
    const afterReturn = data[start] === CARRIAGE_RETURN ? start + 1 : start;
    if (afterReturn < to && data[afterReturn] === NEWLINE) {
      stop[Stop.BREAKS]++;
      start = afterReturn + 1;
      continue;
    }
    const next = readRecord(bytes, start, found, count);
    if (next < 0) break;
    start = next;
    count++;
  }
  return count;
}

/** Reads the record at `start`. Returns where the next one starts, or -1 if the record is malformed or incomplete. */
function readRecord(bytes: CsvBytes, start: number, found: CsvColumns, row: number): number {
  const { data, to, isEnd, delimiter, fields } = bytes;
  const { slots, ends, keyStarts, keyEnds, most, stop, quote, escaper } = found;
  let breaks = 0;
  for (let at = start, field = 0; ; field++, at++) {
    const fieldStart = at;
    let isDoubled = false;
    const isQuoted = at < to && data[at] === quote;
    if (isQuoted) {
      for (at++; ; at++) {
        if (at >= to) return isEnd ? malformed(bytes, found, Fault.OPEN_QUOTE, start, start) : -1;
        if (data[at] === escaper) at += lengthAt(data, at, to, escaper) - 1;
        else if (data[at] === quote) {
          if (at + 1 >= to || data[at + 1] !== quote) break;
          isDoubled = true;
          at++;
        }
        if (data[at] === NEWLINE) breaks++;
      }
      at++;
      if (at < to && data[at] === CARRIAGE_RETURN && at + 1 < to && data[at + 1] === NEWLINE) at++;
    } else {
      for (; at < to && data[at] !== delimiter && data[at] !== NEWLINE; at++) {
        if (data[at] === quote) return malformed(bytes, found, Fault.QUOTE_IN_FIELD, start, at);
        if (data[at] !== escaper) continue;
        if (at + 1 >= to) return isEnd ? malformed(bytes, found, Fault.OPEN_ESCAPE, start, at) : -1;
        at += lengthAt(data, at, to, escaper) - 1;
        if (data[at] === NEWLINE) breaks++;
      }
    }
    const isLast = at >= to || data[at] === NEWLINE;
    if (at >= to && !isEnd) return -1;
    if (isQuoted && !isLast && data[at] !== delimiter) {
      return malformed(bytes, found, Fault.TEXT_AFTER_QUOTE, start, at);
    }
    const hasReturn = at < to && isLast && at > start && data[at - 1] === CARRIAGE_RETURN;
    const end = hasReturn ? at - 1 : at;
    const slot = slots[field] ?? 0;
    if (slot > 0) {
      if (isDoubled) stop[Stop.ESCAPED] = 1;
      const inside = isQuoted && !isDoubled ? 1 : 0;
      keyStarts[(slot - 1) * most + row] = fieldStart + inside;
      keyEnds[(slot - 1) * most + row] = end - inside;
    }
    if (!isLast) continue;
    if (fields === RAGGED) {
      for (const slot of slots.subarray(field + 1)) {
        if (slot > 0) keyStarts[(slot - 1) * most + row] = keyEnds[(slot - 1) * most + row] = end;
      }
    } else if (field < slots.length - 1) return malformed(bytes, found, Fault.MISSING_FIELD, start, at);
    else if (fields > 0 && field + 1 !== fields) return malformed(bytes, found, Fault.FIELD_COUNT, start, at);
    if (hasNull(data, found, row)) return malformed(bytes, found, Fault.NO_KEY, start, at);
    stop[Stop.BREAKS] += breaks;
    ends[row] = end;
    return Math.min(at + 1, to);
  }
}

/** Whether a wanted field of a record is NULL: the escape character and an N. */
function hasNull(data: Uint8Array, { slots, keyStarts, keyEnds, most, escaper }: CsvColumns, row: number): boolean {
  return slots.some((slot) => {
    const start = keyStarts[(slot - 1) * most + row];
    const byteLength = keyEnds[(slot - 1) * most + row] - start;
    return slot > 0 && byteLength === 2 && data[start] === escaper && data[start + 1] === LETTER_N;
  });
}

/**
 * Says what is wrong with a record. It ends with the line in which the fault shows at `at`, if that whole line has been read;
 * otherwise it may continue.
 */
function malformed(bytes: CsvBytes, found: CsvColumns, fault: number, start: number, at: number): -1 {
  const { data, to, isEnd } = bytes;
  let newline = at;
  while (newline < to && data[newline] !== NEWLINE) newline += lengthAt(data, newline, to, found.escaper);
  const isWhole = newline < to;
  if (!isWhole && !isEnd) return -1;
  const hasReturn = isWhole && newline > start && data[newline - 1] === CARRIAGE_RETURN;
  found.stop[Stop.FAULT] = fault;
  found.stop[Stop.END] = isWhole ? newline - (hasReturn ? 1 : 0) : to;
  found.stop[Stop.NEXT] = isWhole ? newline + 1 : to;
  return -1;
}
