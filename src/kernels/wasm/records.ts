import {
  CELL_KINDS,
  type KeyColumns,
  type LineKernels,
  longestName,
  type RecordKernels,
  type Texts,
} from '../record-types.js';
import type { Spans } from '../types.js';
import { wasmInstance } from './instance.js';
import type { RecordsExports } from './records.generated.js';
import { residentAddress as at } from './staging.js';

// Parameters that several kernels have in this order.

const rowsAt = ({ data, starts, ends }: Spans) => [at(data), at(starts), at(ends)] as const;

const foundAt = ({ keyStarts, keyEnds, most, stop }: KeyColumns) =>
  [at(keyStarts), at(keyEnds), most, at(stop)] as const;

const textsAt = ({ text, offsets }: Texts) => [at(text), at(offsets)] as const;

export const wasmRecords = (core: RecordsExports): RecordKernels => ({
  csvRecords({ data, from, to, isEnd, delimiter, fields }, found) {
    const { slots, starts, ends, quote, escaper } = found;
    const syntax = [delimiter, quote, escaper, fields] as const;
    const columns = [at(slots), slots.length - 1, at(starts), at(ends), ...foundAt(found)] as const;
    return core.csvRecords(at(data), from, to, isEnd ? 1 : 0, ...syntax, ...columns);
  },

  jsonRecords(lines, { names, extra, isClosed, encoded, work }, found) {
    const paths = [at(encoded), extra, isClosed ? 1 : 0, longestName(names), at(work)] as const;
    return core.jsonRecords(...rowsAt(lines), lines.ends.length, ...paths, at(found.closes), ...foundAt(found));
  },

  keyColumn(data, { keyStarts, keyEnds, most, fields, format, quote, escaper }, rows, text, offsets) {
    const syntax = [format === 'json' ? 1 : 0, quote, escaper] as const;
    core.keyColumn(at(data), at(keyStarts), at(keyEnds), rows, most, fields, ...syntax, at(text), at(offsets));
  },

  appendColumn(records, column, text) {
    const { ends, closes } = records;
    const braces = closes === undefined ? 0 : at(closes);
    return core.appendColumn(...rowsAt(records), braces, ends.length, ...textsAt(column), at(text)) >>> 0;
  },

  prefixLines(lines, column, text) {
    return core.prefixLines(...rowsAt(lines), lines.ends.length, ...textsAt(column), at(text)) >>> 0;
  },

  scatterRows(rows, shards, first, isWhole, { data, capacity, filled }) {
    const chosen = [at(shards), first, shards.length, isWhole ? 1 : 0] as const;
    return core.scatterRows(...rowsAt(rows), ...chosen, at(data), capacity, at(filled));
  },

  tableRows({ columns, end, descriptors }, rows, text, offsets) {
    const cells = columns.map(({ kind, values, before, after, texts }) => {
      const start = [CELL_KINDS.indexOf(kind), at(values)];
      if (texts !== undefined) return [...start, at(texts.text), 0, at(texts.offsets), 0];
      return [...start, at(before), before.length, at(after), after.length];
    });
    descriptors.set([...cells.flat(), 0, 0, at(end), end.length, 0, 0]);
    core.tableRows(at(descriptors), columns.length, rows, at(text), at(offsets));
  },

  parseDates(texts, values) {
    const row = core.parseDates(...rowsAt(texts), at(values), values.length);
    return row < values.length ? row : -1;
  },
});

export const wasmLines: LineKernels = {
  lines(data, [from, to], end, starts, ends) {
    return wasmInstance().core.lines(at(data), from, to, end, at(starts), at(ends), ends.length);
  },

  shardedRows(rows, shards, text) {
    return wasmInstance().core.shardedRows(...rowsAt(rows), at(shards), shards.length, at(text)) >>> 0;
  },

  shardRows(shards, text) {
    return wasmInstance().core.shardRows(at(shards), shards.length, at(text)) >>> 0;
  },
};
