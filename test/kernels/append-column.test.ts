import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordKernels } from '../../src/kernels/records.js';
import type { Column, Kernels } from '../../src/kernels/types.js';
import { onBothBackends } from '../support/backends.js';
import { scaled } from '../support/scale.js';

const SLACK = 15;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const anyLength = fc.integer({ min: 0, max: 600 }).map((length) => 'xyz'.repeat(length).slice(0, length));

/** A record with its line end; of NDJSON, up to the last brace and from there on. */
type Row = readonly [record: string, lineEnd: string] | readonly [start: string, end: string, lineEnd: string];

function append(
  kernels: Kernels,
  rows: readonly Row[],
  values: Uint32Array,
  { before = ',', after = '', how = 'appendColumn' as 'appendColumn' | 'prefixLines' } = {},
): string {
  const columns: Column<'u8' | 'u32'>[] = [];
  const u8 = (bytes: Uint8Array, more = SLACK) => {
    const column = kernels.column('u8', bytes.length + more);
    column.array.set(bytes);
    columns.push(column);
    return column;
  };
  const u32 = (some: ArrayLike<number>) => {
    const column = kernels.column('u32', some.length);
    column.array.set(some);
    columns.push(column);
    return column;
  };
  const [starts, ends, closes]: [number[], number[], number[]] = [[0], [], []];
  let text = '';
  for (const row of rows) {
    text += row[0];
    if (row.length === 3) {
      closes.push(encoder.encode(text).length);
      text += row[1];
    }
    ends.push(encoder.encode(text).length);
    text += row.at(-1) as string;
    starts.push(encoder.encode(text).length);
  }
  const bytes = encoder.encode(text);
  const texts = Array.from(values, (value) => before + value + after);
  const offsets = [0];
  for (const one of texts) offsets.push((offsets.at(-1) as number) + encoder.encode(one).length);
  const all = {
    data: u8(bytes),
    starts: u32(starts),
    ends: u32(ends),
    closes: u32([...closes, 0]),
    text: u8(encoder.encode(texts.join(''))),
    offsets: u32(offsets),
    to: u8(new Uint8Array(0), bytes.length + (offsets.at(-1) as number) + 2 * rows.length + SLACK),
  };
  all.to.array.fill(0x78);
  const byteLength = recordKernels(kernels)[how](
    {
      data: all.data.array,
      starts: all.starts.array,
      ends: all.ends.array.subarray(0, rows.length),
      ...(closes.length > 0 && { closes: all.closes.array }),
    },
    { text: all.text.array, offsets: all.offsets.array },
    all.to.array,
  );
  const written = decoder.decode(all.to.array.slice(0, byteLength) as Uint8Array);
  for (const column of columns) column.free();
  return written;
}

onBothBackends('records with one more column', (kernels) => {
  it('keep their bytes and their line ends', () => {
    const rows = [
      ['a,b', '\n'],
      ['"c\n""",日', '\r\n'],
      ['', '\n'],
      ['d', ''],
    ] as const;
    const written = append(kernels, rows, Uint32Array.of(0, 7, 1023, 4_294_967_295));
    expect(written).toBe('a,b,0\n"c\n""",日,7\r\n,1023\nd,4294967295\n');
  });

  it('of NDJSON have it before their last brace, with a comma unless there is nothing else', () => {
    const rows = [
      ['{"a":1', '}', '\n'],
      ['{ "a":{} ', '} ', '\r\n'],
      [' {', '}', '\n'],
      ['{ \t', '}', ''],
    ] as const;
    const around = { before: '"shard":"', after: '"' };
    expect(append(kernels, rows, Uint32Array.of(1, 22, 333, 4444), around)).toBe(
      '{"a":1,"shard":"1"}\n{ "a":{} ,"shard":"22"} \r\n {"shard":"333"}\n{ \t"shard":"4444"}\n',
    );
  });

  it('of any length', () => {
    const row = fc.tuple(anyLength, fc.constantFrom('\n', '\r\n'));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(row, fc.nat({ max: 2 ** 32 - 1 })), { maxLength: 12 }),
        anyLength,
        (some, before) => {
          const rows = some.map(([one]) => one);
          const values = Uint32Array.from(some, ([, value]) => value);
          const expected = some.map(([[record, end], value]) => record + before + value + end).join('');
          expect(append(kernels, rows, values, { before })).toBe(expected);
        },
      ),
      { numRuns: scaled(2000) },
    );
  });
});

onBothBackends('lines with a column in front', (kernels) => {
  it('have it before their bytes, and newlines', () => {
    const rows = [
      ['a', '\n'],
      ['', '\r\n'],
      ['b\r', '\r\n'],
      ['c', ''],
    ] as const;
    const tab = { before: '', after: '\t', how: 'prefixLines' } as const;
    expect(append(kernels, rows, Uint32Array.of(1, 2, 3, 4), tab)).toBe('1\ta\n2\t\n3\tb\r\n4\tc\n');
  });

  it('of any length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyLength, fc.nat({ max: 2 ** 32 - 1 })), { maxLength: 12 }),
        anyLength,
        (some, after) => {
          const rows = some.map(([line]) => [line, '\n'] as const);
          const values = Uint32Array.from(some, ([, value]) => value);
          const expected = some.map(([line, value]) => `${value}${after}${line}\n`).join('');
          expect(append(kernels, rows, values, { before: '', after, how: 'prefixLines' })).toBe(expected);
        },
      ),
      { numRuns: scaled(2000) },
    );
  });
});
