import { CELL_KINDS, type LineKernels, longestName, type RecordKernels } from '../record-types.js';
import { wasmInstance } from './instance.js';
import type { RecordsExports } from './records.generated.js';
import { residentAddress as at } from './staging.js';

/** The kernels for records in WebAssembly. */
export const wasmRecords = (core: RecordsExports): RecordKernels => ({
  csvRecords({ data, from, to, isEnd, delimiter, fields }, { slots, starts, ends, keyStarts, keyEnds, most, stop }) {
    return core.csvRecords(
      at(data),
      from,
      to,
      isEnd ? 1 : 0,
      delimiter,
      fields,
      at(slots),
      slots.length - 1,
      at(starts),
      at(ends),
      at(keyStarts),
      at(keyEnds),
      most,
      at(stop),
    );
  },

  jsonRecords({ data, starts, ends }, { names, refused, encoded, work }, found) {
    const { keyStarts, keyEnds, closes, most, stop } = found;
    return core.jsonRecords(
      at(data),
      at(starts),
      at(ends),
      ends.length,
      at(encoded),
      refused,
      longestName(names),
      at(work),
      at(keyStarts),
      at(keyEnds),
      at(closes),
      most,
      at(stop),
    );
  },

  keyColumn(data, { keyStarts, keyEnds, most, fields, format }, rows, text, offsets) {
    const isJson = format === 'json' ? 1 : 0;
    core.keyColumn(at(data), at(keyStarts), at(keyEnds), rows, most, fields, isJson, at(text), at(offsets));
  },

  appendColumn({ data, starts, ends, closes }, { text: values, offsets }, text) {
    const rows = ends.length;
    const braces = closes === undefined ? 0 : at(closes);
    return core.appendColumn(at(data), at(starts), at(ends), braces, rows, at(values), at(offsets), at(text)) >>> 0;
  },

  prefixLines({ data, starts, ends }, { text: values, offsets }, text) {
    return core.prefixLines(at(data), at(starts), at(ends), ends.length, at(values), at(offsets), at(text)) >>> 0;
  },

  scatterRows({ data, starts, ends }, shards, first, isWhole, { data: buffers, capacity, filled }) {
    return core.scatterRows(
      at(data),
      at(starts),
      at(ends),
      at(shards),
      first,
      shards.length,
      isWhole ? 1 : 0,
      at(buffers),
      capacity,
      at(filled),
    );
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

  parseDates({ data, starts, ends }, values) {
    const row = core.parseDates(at(data), at(starts), at(ends), at(values), values.length);
    return row < values.length ? row : -1;
  },
});

/** The kernels for lines in the core. */
export const wasmLines: LineKernels = {
  lines(data, from, to, starts, ends) {
    return wasmInstance().core.lines(at(data), from, to, at(starts), at(ends), ends.length);
  },

  shardedRows({ data, starts, ends }, shards, text) {
    return wasmInstance().core.shardedRows(at(data), at(starts), at(ends), at(shards), shards.length, at(text)) >>> 0;
  },

  shardRows(shards, text) {
    return wasmInstance().core.shardRows(at(shards), shards.length, at(text)) >>> 0;
  },
};
