import { demangle } from '@assemblyscript/loader';
import { plainRecords } from './js/records.js';
import { CELL_KINDS, longestName, type RecordKernels } from './record-types.js';
import type { CoreKernels } from './types.js';
import { running } from './wasm/instance.js';
import { recordsModule } from './wasm/records-module.js';
import { residentAddress as at } from './wasm/staging.js';

/** The record kernels of a backend: plain JavaScript also if the core runs but no other module may be compiled. */
export function recordKernels({ name }: CoreKernels): RecordKernels {
  return name === 'wasm' && core() !== undefined ? wasmRecords : plainRecords;
}

/** The module's exports; see `assembly/records/index.ts`. A u32 comes back signed. */
interface RecordsCore {
  csvRecords(
    data: number,
    from: number,
    to: number,
    isEnd: number,
    delimiter: number,
    fields: number,
    slots: number,
    last: number,
    starts: number,
    ends: number,
    keyStarts: number,
    keyEnds: number,
    most: number,
    stop: number,
  ): number;
  jsonRecords(
    data: number,
    starts: number,
    ends: number,
    rows: number,
    paths: number,
    refusedPaths: number,
    longest: number,
    work: number,
    keyStarts: number,
    keyEnds: number,
    closes: number,
    most: number,
    stop: number,
  ): number;
  keyColumn(
    data: number,
    keyStarts: number,
    keyEnds: number,
    rows: number,
    most: number,
    fields: number,
    isJson: number,
    text: number,
    offsets: number,
  ): void;
  appendColumn(
    data: number,
    starts: number,
    ends: number,
    closes: number,
    isJson: number,
    rows: number,
    values: number,
    offsets: number,
    text: number,
  ): number;
  prefixLines(
    data: number,
    starts: number,
    ends: number,
    rows: number,
    values: number,
    offsets: number,
    text: number,
  ): number;
  scatterRows(
    data: number,
    starts: number,
    ends: number,
    shards: number,
    first: number,
    rows: number,
    isWhole: number,
    buffers: number,
    capacity: number,
    filled: number,
  ): number;
  tableRows(columns: number, count: number, rows: number, text: number, offsets: number): void;
  parseDates(data: number, starts: number, ends: number, values: number, rows: number): number;
}

let instance: RecordsCore | undefined;
let isForbidden = false;

/** The module, running in the core's memory; undefined if it cannot be compiled. */
function core(): RecordsCore | undefined {
  if (instance !== undefined || isForbidden) return instance;
  const module = compiled();
  isForbidden = module === undefined;
  if (module === undefined) return undefined;
  const { exports } = new WebAssembly.Instance(module, { env: { memory: running().core.memory } });
  instance = demangle<RecordsCore & Record<string, unknown>>(exports);
  return instance;
}

function compiled(): WebAssembly.Module | undefined {
  try {
    return recordsModule();
  } catch {
    return undefined;
  }
}

/** For {@link wasmRecords}, which are used only if the module runs. */
const kernels = (): RecordsCore => core() as RecordsCore;

const wasmRecords: RecordKernels = {
  csvRecords({ data, from, to, isEnd, delimiter, fields }, { slots, starts, ends, keyStarts, keyEnds, most, stop }) {
    return kernels().csvRecords(
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
    return kernels().jsonRecords(
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
    kernels().keyColumn(at(data), at(keyStarts), at(keyEnds), rows, most, fields, isJson, at(text), at(offsets));
  },

  appendColumn({ data, starts, ends, closes }, { text: values, offsets }, text) {
    return (
      kernels().appendColumn(
        at(data),
        at(starts),
        at(ends),
        closes === undefined ? 0 : at(closes),
        closes === undefined ? 0 : 1,
        ends.length,
        at(values),
        at(offsets),
        at(text),
      ) >>> 0
    );
  },

  prefixLines({ data, starts, ends }, { text: values, offsets }, text) {
    return kernels().prefixLines(at(data), at(starts), at(ends), ends.length, at(values), at(offsets), at(text)) >>> 0;
  },

  scatterRows({ data, starts, ends }, shards, first, isWhole, { data: buffers, capacity, filled }) {
    return kernels().scatterRows(
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
    kernels().tableRows(at(descriptors), columns.length, rows, at(text), at(offsets));
  },

  parseDates({ data, starts, ends }, values) {
    const row = kernels().parseDates(at(data), at(starts), at(ends), at(values), values.length);
    return row < values.length ? row : -1;
  },
};
