import { type CoreKernels, type Spans, viewOf } from './types.js';
import { running } from './wasm/instance.js';
import { residentAddress as at } from './wasm/staging.js';

const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The kernels for lines, separate from the others because most programs do not need them. Every array must be that of a
 * resident column, because a row can be longer than a piece.
 */
export interface LineKernels {
  /**
   * Finds the lines whose newline lies in `data[from..to)`, at most as many as `ends` has elements. The
   * caller sets `starts[0]` to the start of the first one. For each line this sets `ends[i]`, before the
   * `\n` or `\r\n`, and `starts[i + 1]`; `starts` is one element longer than `ends`.
   * @returns the number of lines
   */
  lines(data: Uint8Array, from: number, to: number, starts: Uint32Array, ends: Uint32Array): number;
  /**
   * Writes `shard <TAB> row \n` for every row; `text` has room for the rows and 12 bytes for each.
   * @returns how many bytes were written
   */
  shardedRows(spans: Spans, shards: Uint32Array, text: Uint8Array): number;
  /**
   * Writes `shard \n` for every row; `text` has room for 11 bytes a row.
   * @returns how many bytes were written
   */
  shardRows(shards: Uint32Array, text: Uint8Array): number;
}

/** The line kernels of a backend. */
export function lineKernels({ name }: CoreKernels): LineKernels {
  return name === 'wasm' ? wasmLines : plainLines;
}

const wasmLines: LineKernels = {
  lines(data, from, to, starts, ends) {
    return running().core.lines(at(data), from, to, at(starts), at(ends), ends.length);
  },

  shardedRows({ data, starts, ends }: Spans, shards, text) {
    return running().core.shardedRows(at(data), at(starts), at(ends), at(shards), shards.length, at(text)) >>> 0;
  },

  shardRows(shards, text) {
    return running().core.shardRows(at(shards), shards.length, at(text)) >>> 0;
  },
};

const plainLines: LineKernels = {
  lines(data, from, to, starts, ends) {
    const read = viewOf(data, 0, to);
    let count = 0;
    while (count < ends.length) {
      const newline = read.indexOf(NEWLINE, from);
      if (newline < 0) break;
      const returned = newline > starts[count] && data[newline - 1] === CARRIAGE_RETURN;
      ends[count++] = newline - (returned ? 1 : 0);
      starts[count] = from = newline + 1;
    }
    return count;
  },

  shardedRows({ data, starts, ends }: Spans, shards, text) {
    let at = 0;
    for (let i = 0; i < shards.length; i++) {
      at = writeDecimal(text, at, shards[i]);
      text[at++] = TAB;
      const row = viewOf(data, starts[i], ends[i]);
      text.set(row, at);
      at += row.length;
      text[at++] = NEWLINE;
    }
    return at;
  },

  shardRows(shards, text) {
    let at = 0;
    for (let i = 0; i < shards.length; i++) {
      at = writeDecimal(text, at, shards[i]);
      text[at++] = NEWLINE;
    }
    return at;
  },
};

/** Writes a u32 at `at` and returns where it ends. */
function writeDecimal(text: Uint8Array, at: number, value: number): number {
  const digits = String(value);
  for (let i = 0; i < digits.length; i++) text[at++] = digits.charCodeAt(i);
  return at;
}
