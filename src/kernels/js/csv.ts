import { type CsvBytes, type CsvColumns, Fault, lengthAt, NO_BYTE, RAGGED, Stop } from '../record-types.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LETTER_N = 0x4e;

/** {@link RecordKernels.csvRecords} in plain JavaScript, a byte at a time. */
export function csvRecords(bytes: CsvBytes, found: CsvColumns): number {
  const { starts, ends, stop, most } = found;
  const { from, to } = bytes;
  stop.fill(0);
  if (found.escaper !== NO_BYTE) stop[Stop.ESCAPED] = 1;
  starts[0] = from;
  let count = 0;
  for (let start = from; count < most && start < to; ) {
    const afterReturn = bytes.data[start] === CARRIAGE_RETURN ? start + 1 : start;
    if (afterReturn < to && bytes.data[afterReturn] === NEWLINE) {
      stop[Stop.BREAKS]++;
      starts[count] = start = afterReturn + 1;
      continue;
    }
    const record = readRecord(bytes, start, found, count);
    if (record === undefined) break;
    if (record.fault !== Fault.NONE) {
      stop[Stop.FAULT] = record.fault;
      stop[Stop.END] = record.end;
      stop[Stop.NEXT] = record.next;
      break;
    }
    stop[Stop.BREAKS] += record.breaks;
    ends[count++] = record.end;
    starts[count] = start = record.next;
  }
  return count;
}

interface ReadRecord {
  readonly fault: number;
  /** Where the record ends, without its line end. */
  readonly end: number;
  /** Where the next record starts. */
  readonly next: number;
  readonly breaks: number;
}

/** The record at `start`; undefined if it may continue after the bytes. */
function readRecord(bytes: CsvBytes, start: number, found: CsvColumns, row: number): ReadRecord | undefined {
  const { data, to, isEnd, delimiter, fields } = bytes;
  const { slots, keyStarts, keyEnds, most, stop, quote, escaper } = found;
  let breaks = 0;
  for (let at = start, field = 0; ; field++, at++) {
    const fieldStart = at;
    let isDoubled = false;
    const isQuoted = at < to && data[at] === quote;
    if (isQuoted) {
      for (at++; ; at++) {
        if (at >= to) return isEnd ? malformed(bytes, Fault.OPEN_QUOTE, start, start, escaper) : undefined;
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
        if (data[at] === quote) return malformed(bytes, Fault.QUOTE_IN_FIELD, start, at, escaper);
        if (data[at] !== escaper) continue;
        if (at + 1 >= to) return isEnd ? malformed(bytes, Fault.OPEN_ESCAPE, start, at, escaper) : undefined;
        at += lengthAt(data, at, to, escaper) - 1;
        if (data[at] === NEWLINE) breaks++;
      }
    }
    const isLast = at >= to || data[at] === NEWLINE;
    if (at >= to && !isEnd) return undefined;
    if (isQuoted && !isLast && data[at] !== delimiter) {
      return malformed(bytes, Fault.TEXT_AFTER_QUOTE, start, at, escaper);
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
    } else if (field < slots.length - 1) return malformed(bytes, Fault.MISSING_FIELD, start, at, escaper);
    else if (fields > 0 && field + 1 !== fields) return malformed(bytes, Fault.FIELD_COUNT, start, at, escaper);
    if (hasNull(data, found, row)) return malformed(bytes, Fault.NO_KEY, start, at, escaper);
    return { fault: Fault.NONE, end, next: Math.min(at + 1, to), breaks };
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

/** A malformed record. It ends with the line in which the fault shows at `at`, if that whole line has been read. */
function malformed(
  { data, to, isEnd }: CsvBytes,
  fault: number,
  start: number,
  at: number,
  escaper: number,
): ReadRecord | undefined {
  let newline = at;
  while (newline < to && data[newline] !== NEWLINE) newline += lengthAt(data, newline, to, escaper);
  if (newline >= to) return isEnd ? { fault, end: to, next: to, breaks: 0 } : undefined;
  const hasReturn = newline > start && data[newline - 1] === CARRIAGE_RETURN;
  return { fault, end: hasReturn ? newline - 1 : newline, next: newline + 1, breaks: 0 };
}
