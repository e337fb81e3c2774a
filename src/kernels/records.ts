import type { CoreKernels } from './contract.js';
import { plainRecords } from './plain-records.js';
import { longestName, type RecordKernels } from './record-contract.js';
import { recordsModule } from './records-module.js';
import { running } from './wasm-instance.js';
import { residentAddress as at } from './wasm-staging.js';

/** Those of a backend. */
export function recordKernels({ name }: CoreKernels): RecordKernels {
  return name === 'wasm' ? wasmRecords : plainRecords;
}

/** The module's exports; `assembly/records/index.ts` says what each does. A u32 comes back signed. */
interface RecordsCore {
  csvRecords(
    data: number,
    from: number,
    to: number,
    isEnd: number,
    delimiter: number,
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
    isRefused: number,
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
  decimalColumn(values: number, rows: number, text: number, offsets: number): void;
  appendColumn(
    data: number,
    starts: number,
    ends: number,
    closes: number,
    isJson: number,
    rows: number,
    values: number,
    offsets: number,
    before: number,
    beforeLength: number,
    after: number,
    afterLength: number,
    text: number,
  ): number;
}

let instance: RecordsCore | undefined;

/** It works in the core's memory. */
function core(): RecordsCore {
  const { memory } = running().core;
  instance ??= new WebAssembly.Instance(recordsModule(), { env: { memory } }).exports as unknown as RecordsCore;
  return instance;
}

const wasmRecords: RecordKernels = {
  csvRecords({ data, from, to, isEnd, delimiter }, { slots, starts, ends, keyStarts, keyEnds, most, stop }) {
    return core().csvRecords(
      at(data),
      from,
      to,
      isEnd ? 1 : 0,
      delimiter,
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

  jsonRecords({ data, starts, ends }, { names, isLastRefused, encoded, work }, found) {
    const { keyStarts, keyEnds, closes, most, stop } = found;
    return core().jsonRecords(
      at(data),
      at(starts),
      at(ends),
      ends.length,
      at(encoded),
      isLastRefused ? 1 : 0,
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
    core().keyColumn(at(data), at(keyStarts), at(keyEnds), rows, most, fields, isJson, at(text), at(offsets));
  },

  decimalColumn(values, text, offsets) {
    core().decimalColumn(at(values), values.length, at(text), at(offsets));
  },

  appendColumn({ data, starts, ends, closes }, { text: values, offsets, around, beforeLength, afterLength }, text) {
    const before = at(around);
    return (
      core().appendColumn(
        at(data),
        at(starts),
        at(ends),
        closes === undefined ? 0 : at(closes),
        closes === undefined ? 0 : 1,
        ends.length,
        at(values),
        at(offsets),
        before,
        beforeLength,
        before + beforeLength,
        afterLength,
        at(text),
      ) >>> 0
    );
  },
};
