import { type CellKind, fieldValue, type LineKernels, lineEndLength, type RecordKernels } from '../record-types.js';
import { viewOf } from '../types.js';
import { csvRecords } from './csv.js';
import { jsonRecords, unescaped } from './json.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const SLACK = 15; // the WebAssembly kernel needs it

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;
const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

class ByteWriter {
  at = 0;

  constructor(private readonly text: Uint8Array) {}

  write(bytes: Uint8Array): void {
    this.text.set(bytes, this.at);
    this.at += bytes.length;
  }

  writeAscii(characters: string): void {
    for (let i = 0; i < characters.length; i++) this.text[this.at++] = characters.charCodeAt(i);
  }
}

export const jsRecords: RecordKernels = {
  csvRecords,
  jsonRecords,

  keyColumn(data, found, rows, text, offsets) {
    const { keyStarts, keyEnds, most, fields } = found;
    const read = found.format === 'json' ? unescaped : (field: Uint8Array) => fieldValue(field, found);
    const to = new ByteWriter(text);
    offsets[0] = 0;
    for (let row = 0; row < rows; row++) {
      for (let field = 0; field < fields; field++) {
        const place = field * most + row;
        const value = read(viewOf(data, keyStarts[place], keyEnds[place]));
        const isLast = field === fields - 1;
        if (!isLast) to.writeAscii(`${value.length}:`);
        to.write(value);
        if (!isLast) to.writeAscii(':');
      }
      offsets[row + 1] = to.at;
    }
  },

  appendColumn({ data, starts, ends, closes }, { text: values, offsets }, text) {
    const to = new ByteWriter(text);
    for (let row = 0; row < ends.length; row++) {
      const [start, end] = [starts[row], ends[row]];
      const next = end + lineEndLength(data, end, starts[row + 1]);
      const at = closes === undefined ? end : closes[row];
      to.write(viewOf(data, start, at));
      if (closes !== undefined && !isEmpty(data, at)) to.writeAscii(',');
      to.write(viewOf(values, offsets[row], offsets[row + 1]));
      to.write(viewOf(data, at, next));
      if (next === end) to.writeAscii('\n');
    }
    return to.at;
  },

  prefixLines({ data, starts, ends }, { text: values, offsets }, text) {
    const to = new ByteWriter(text);
    for (let row = 0; row < ends.length; row++) {
      to.write(viewOf(values, offsets[row], offsets[row + 1]));
      to.write(viewOf(data, starts[row], ends[row]));
      to.writeAscii('\n');
    }
    return to.at;
  },

  scatterRows({ data, starts, ends }, shards, first, isWhole, { data: buffers, capacity, filled }) {
    for (let row = first; row < shards.length; row++) {
      const [start, end] = [starts[row], ends[row]];
      const kept = isWhole ? lineEndLength(data, end, starts[row + 1]) : 0;
      const bytes = viewOf(data, start, end + kept);
      const shard = shards[row];
      const used = filled[shard];
      if (used + bytes.length + 1 + SLACK > capacity) return row;
      const to = shard * capacity + used;
      buffers.set(bytes, to);
      if (kept === 0) buffers[to + bytes.length] = NEWLINE;
      filled[shard] = used + bytes.length + (kept === 0 ? 1 : 0);
    }
    return shards.length;
  },

  tableRows({ columns, end }, rows, text, offsets) {
    const to = new ByteWriter(text);
    offsets[0] = 0;
    for (let row = 0; row < rows; row++) {
      for (const { kind, values, before, after, texts } of columns) {
        if (texts !== undefined) {
          const index = Number(values[row]);
          to.write(viewOf(texts.text, texts.offsets[index], texts.offsets[index + 1]));
          continue;
        }
        const cell = cellText(kind, values[row]);
        if (cell === '' && kind === 'dateIfAny') continue;
        to.write(before);
        to.writeAscii(cell);
        to.write(after);
      }
      to.write(end);
      offsets[row + 1] = to.at;
    }
  },

  parseDates({ data, starts, ends }, values) {
    const decoder = new TextDecoder();
    return values.findIndex((_, row) => {
      const text = decoder.decode(data.slice(starts[row], ends[row]));
      const ms = DATE.test(text) ? Date.parse(text) : Number.NaN;
      values[row] = ms;
      // Date.parse turns 30 February into 1 March.
      return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, SECONDS) !== text.slice(0, SECONDS);
    });
  },
};

/** Whether an object has only whitespace between its braces. */
function isEmpty(data: Uint8Array, close: number): boolean {
  let at = close - 1;
  while (data[at] <= SPACE) at--;
  return data[at] === OPEN_OBJECT;
}
function cellText(kind: CellKind, value: bigint | number): string {
  if (kind === 'hex') return value.toString(16).padStart(16, '0');
  if (kind === 'ms') return String(Number(Number(value).toFixed(3)));
  if (kind !== 'date' && kind !== 'dateIfAny') return String(value);
  const date = new Date(Math.floor(Number(value)));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

export const jsLines: LineKernels = {
  lines(data, [first, to], end, starts, ends) {
    const read = viewOf(data, 0, to);
    let count = 0;
    for (let from = first; count < ends.length; ) {
      const newline = read.indexOf(end, from);
      if (newline < 0) break;
      const returned = end === NEWLINE && newline > starts[count] && data[newline - 1] === CARRIAGE_RETURN;
      ends[count++] = newline - (returned ? 1 : 0);
      starts[count] = from = newline + 1;
    }
    return count;
  },

  shardedRows({ data, starts, ends }, shards, text) {
    const to = new ByteWriter(text);
    for (let i = 0; i < shards.length; i++) {
      to.writeAscii(`${shards[i]}\t`);
      to.write(viewOf(data, starts[i], ends[i]));
      to.writeAscii('\n');
    }
    return to.at;
  },

  shardRows(shards, text) {
    const to = new ByteWriter(text);
    for (let i = 0; i < shards.length; i++) to.writeAscii(`${shards[i]}\n`);
    return to.at;
  },
};
