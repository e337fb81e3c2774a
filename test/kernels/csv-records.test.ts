import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { Fault, NO_BYTE, RAGGED, Stop } from '../../src/kernels/record-types.js';
import { recordKernels } from '../../src/kernels/records.js';
import type { Column, Kernels } from '../../src/kernels/types.js';
import { onBothBackends } from '../support/backends.js';
import { scaled } from '../support/scale.js';

const SLACK = 63;

const encoder = new TextEncoder();
/** A byte order mark is a character, here. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface Cut {
  /** Each with the wanted fields, as they are and unquoted. */
  readonly records: readonly { readonly text: string; readonly keys: readonly string[] }[];
  readonly breaks: number;
  readonly fault: number;
  /** Of a fault: the record. */
  readonly bad?: string;
  /** Where it went no further. */
  readonly rest: number;
}

interface HowToCut {
  wanted?: readonly number[];
  delimiter?: string;
  /** NO_BYTE: there are no quotes. */
  quote?: number;
  escaper?: string;
  isEnd?: boolean;
  most?: number;
  /** Bytes before the first record. */
  before?: number;
  /** How many a record has to have; 0 for any number. */
  fields?: number;
}

/** Cuts what is left of some bytes, once. */
function cut(
  kernels: Kernels,
  text: string | Uint8Array,
  { wanted = [0], delimiter = ',', quote = 0x22, escaper, isEnd = true, most = 100, before = 0, ...how }: HowToCut = {},
): Cut {
  const required = how.fields ?? 0;
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const columns: Column<'u8' | 'u32'>[] = [];
  const u8 = (length: number) => {
    const column = kernels.column('u8', length);
    columns.push(column);
    return column;
  };
  const u32 = (length: number) => {
    const column = kernels.column('u32', length);
    columns.push(column);
    return column;
  };
  const all = {
    data: u8(before + bytes.length + SLACK),
    slots: u8(Math.max(...wanted) + 1),
    starts: u32(most + 1),
    ends: u32(most),
    keyStarts: u32(most * wanted.length),
    keyEnds: u32(most * wanted.length),
    stop: u32(Stop.LENGTH),
    text: u8(bytes.length + 12 * most * wanted.length + 1),
    offsets: u32(most + 1),
  };
  const data = all.data.array;
  data.fill(0x22); // what is around the bytes must not matter
  data.set(bytes, before);
  for (const [i, field] of wanted.entries()) all.slots.array[field] = i + 1;
  const { starts, ends, keyStarts, keyEnds, stop } = {
    starts: all.starts.array,
    ends: all.ends.array,
    keyStarts: all.keyStarts.array,
    keyEnds: all.keyEnds.array,
    stop: all.stop.array,
  };
  const fields = wanted.length;
  const found = {
    format: 'csv',
    quote,
    escaper: escaper?.charCodeAt(0) ?? NO_BYTE,
    most,
    fields,
    slots: all.slots.array,
    starts,
    ends,
    keyStarts,
    keyEnds,
    stop,
  } as const;
  const { csvRecords, keyColumn } = recordKernels(kernels);
  const count = csvRecords(
    { data, from: before, to: before + bytes.length, isEnd, delimiter: delimiter.charCodeAt(0), fields: required },
    found,
  );
  const [values, offsets] = [all.text.array, all.offsets.array];
  const valuesOf = () =>
    Array.from({ length: count }, (_, i) => decoder.decode(values.subarray(offsets[i], offsets[i + 1])));
  const keys = wanted.map((_, slot) => {
    const rows = [slot * most, slot * most + most] as const;
    const one = { ...found, fields: 1, keyStarts: keyStarts.subarray(...rows), keyEnds: keyEnds.subarray(...rows) };
    const isQuoted = ends.some(
      (_, i) => i < count && one.keyStarts[i] < one.keyEnds[i] && data[one.keyStarts[i]] === 0x22,
    );
    if (isQuoted && quote !== NO_BYTE) expect(stop[Stop.ESCAPED]).toBeGreaterThan(0);
    keyColumn(data, one, count, values, offsets);
    return valuesOf();
  });
  keyColumn(data, found, count, values, offsets);
  const compound = Array.from({ length: count }, (_, row) =>
    keys.map((column, i) => {
      const value = column[row];
      return i === keys.length - 1 ? value : `${encoder.encode(value).length}:${value}:`;
    }),
  );
  if (!decoder.decode(bytes).includes('\ufffd')) expect(valuesOf()).toEqual(compound.map((parts) => parts.join('')));
  const textOf = (from: number, to: number) => decoder.decode(data.subarray(from, to));
  const rest = starts[count];
  const fault = stop[Stop.FAULT];
  const outcome = {
    records: Array.from({ length: count }, (_, i) => ({
      text: textOf(starts[i], ends[i]),
      keys: keys.map((column) => column[i]),
    })),
    breaks: stop[Stop.BREAKS],
    fault,
    ...(fault === Fault.NONE ? {} : { bad: textOf(rest, stop[Stop.END]) }),
    rest: (fault === Fault.NONE ? rest : stop[Stop.NEXT]) - before,
  };
  for (const column of columns) column.free();
  return outcome;
}

/** All records of a text, one malformed one after the other: [record, keys] or the malformed record. */
function cutAll(kernels: Kernels, text: string, how: HowToCut = {}): (readonly [string, readonly string[]] | string)[] {
  const all: (readonly [string, readonly string[]] | string)[] = [];
  const bytes = encoder.encode(text);
  for (let from = 0; from < bytes.length; ) {
    const { records, bad, rest } = cut(kernels, bytes.subarray(from), how);
    all.push(...records.map(({ text, keys }) => [text, keys] as const), ...(bad === undefined ? [] : [bad]));
    expect(rest).toBeGreaterThan(0);
    from += rest;
  }
  return all;
}

const WELL_FORMED = /^(?:"(?:[^"]|"")*"|[^",\n]*)(?:,(?:"(?:[^"]|"")*"|[^",\n]*))*$/;

onBothBackends('CSV is cut into records', (kernels) => {
  it.each<[name: string, text: string, keys: (string | undefined)[]]>([
    ['nothing', '', []],
    ['a record without a line end', 'a,b', ['a']],
    ['empty fields', ',b\n""\n', ['', '']],
    ['empty lines, which are no records', '\n\r\na\n\n\r\nb\n\n', ['a', 'b']],
    ['CRLF', 'a,b\r\n"c"\r\nd\r\n', ['a', 'c', 'd']],
    ['a CR alone, which is data', 'a\rb,c\n\r,\n', ['a\rb', '\r']],
    ['delimiters and line ends in quotes', '"a,b",1\n"c\nd\r\ne",2\nf', ['a,b', 'c\nd\r\ne', 'f']],
    ['doubled quotes', '"a""b"\n""""\n"""",1\n"""a"""', ['a"b', '"', '"', '"a"']],
    ['NUL and what is not ASCII', 'a\0b\n日本\n', ['a\0b', '日本']],
    ['more than a block', `${'x'.repeat(200)},1\n"${'y,\n'.repeat(50)}",2\n`, ['x'.repeat(200), 'y,\n'.repeat(50)]],
  ])('%s', (_name, text, keys) => {
    const { records, fault, rest } = cut(kernels, text);
    expect(records.map((record) => record.keys[0])).toEqual(keys);
    expect({ fault, rest }).toEqual({ fault: Fault.NONE, rest: encoder.encode(text).length });
  });

  it.each<[name: string, text: string, fault: keyof typeof Fault, bad: string, rest: string]>([
    ['a quote in a field without quotes', 'a,b"c,d\nx', 'QUOTE_IN_FIELD', 'a,b"c,d', 'x'],
    ['text behind a quote', '"a"b,c\r\nx', 'TEXT_AFTER_QUOTE', '"a"b,c', 'x'],
    ['a CR behind a quote that no LF follows', '"a"\r,c\nx', 'TEXT_AFTER_QUOTE', '"a"\r,c', 'x'],
    ['the same at the end', '"a"\r', 'TEXT_AFTER_QUOTE', '"a"\r', ''],
    ['quotes that are never closed', 'a,"b\nc,d\ne', 'OPEN_QUOTE', 'a,"b', 'c,d\ne'],
    ['a quote that is never closed at the end', '"', 'OPEN_QUOTE', '"', ''],
    ['text behind a quote in a later line', '"a\nb"c\nx', 'TEXT_AFTER_QUOTE', '"a\nb"c', 'x'],
  ])('and stops at what is malformed: %s', (_name, text, fault, bad, rest) => {
    const { records, ...stop } = cut(kernels, `1,2\n${text}`);
    expect(records).toHaveLength(1);
    expect(stop).toMatchObject({ fault: Fault[fault], bad, rest: 4 + text.length - rest.length });
  });

  it('and stops at a record without one of the fields', () => {
    const how = { wanted: [2, 0] };
    expect(cut(kernels, 'a,b,c\nd,e\nf', how)).toMatchObject({
      records: [{ text: 'a,b,c', keys: ['c', 'a'] }],
      fault: Fault.MISSING_FIELD,
      bad: 'd,e',
      rest: 10,
    });
    expect(cut(kernels, 'a,b,', how).records[0]?.keys).toEqual(['', 'a']);
    expect(cut(kernels, 'a,b', how)).toMatchObject({ fault: Fault.MISSING_FIELD, bad: 'a,b' });
  });

  it('with empty fields instead of missing ones, if they are ragged', () => {
    const how = { wanted: [2, 0], fields: RAGGED };
    const rows = ['a,b,c', 'd,e', '"f"', '""', ',,"g""h",i'];
    const keys = [
      ['c', 'a'],
      ['', 'd'],
      ['', 'f'],
      ['', ''],
      ['g"h', ''],
    ];
    for (const text of [rows.join('\n'), `${rows.join('\r\n')}\r\n`])
      expect(cut(kernels, text, how).records).toEqual(rows.map((text, i) => ({ text, keys: keys[i] })));
    expect(cut(kernels, 'x', how).records).toEqual([{ text: 'x', keys: ['', 'x'] }]);
  });

  it('with any delimiter of one byte', () => {
    for (const delimiter of ['\t', ';', '|', ' ', '\0', '\x01'])
      expect(cut(kernels, ['a,b', '"c"', 'd'].join(delimiter), { wanted: [0, 2], delimiter }).records).toEqual([
        { text: ['a,b', '"c"', 'd'].join(delimiter), keys: ['a,b', 'd'] },
      ]);
  });

  it('as many as there is room for, with the line ends that they have in quotes', () => {
    const text = '"a\nb",1\n"\n\n"\nc\n"d\n"\n';
    expect(cut(kernels, text, { most: 2 })).toMatchObject({ breaks: 3, rest: 13 });
    expect(cut(kernels, text, { most: 3 })).toMatchObject({ breaks: 3, rest: 15 });
    expect(cut(kernels, `\n\n${text}\r\n`)).toMatchObject({ breaks: 7, rest: text.length + 4 });
    expect(cut(kernels, text)).toMatchObject({ breaks: 4, rest: text.length });
    expect(cut(kernels, `${text}"e\nf`, { isEnd: false })).toMatchObject({ breaks: 4, rest: text.length });
  });

  it('but not what may go on', () => {
    const text = 'a,b\n"c""\nd",e\r\n';
    for (let to = 0; to <= text.length; to++) {
      const { records, fault } = cut(kernels, text.slice(0, to), { isEnd: false });
      expect([records.length, fault]).toEqual([to < 4 ? 0 : to < text.length ? 1 : 2, Fault.NONE]);
    }
    for (const malformed of ['a"b', '"a"b', '"a"\r,']) {
      expect(cut(kernels, malformed, { isEnd: false })).toMatchObject({ fault: Fault.NONE, rest: 0 });
      expect(cut(kernels, `${malformed}\n`, { isEnd: false }).fault).not.toBe(Fault.NONE);
    }
  });

  // Fields of up to three blocks, so that every construct lies across the end of one at some time.
  const piece = fc.oneof(
    fc.constantFrom('a', ',', '\n', '\r', '\r\n', '""', '"', ' ', '\0', 'é', '日'),
    fc.integer({ min: 1, max: 70 }).map((length) => 'x'.repeat(length)),
  );
  const content = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const quoted = content.map((text) => `"${text.replaceAll('"', '""')}"`);
  const bare = content.map((text) => text.replace(/[",\n]/g, '').replace(/\r+$/, ''));
  const record = fc.array(fc.oneof(quoted, bare), { minLength: 1, maxLength: 5 });
  const rows = fc.array(fc.tuple(record, fc.constantFrom('\n', '\r\n')), { minLength: 1, maxLength: 8 });

  it('as Papa Parse does, whatever well-formed text', () => {
    fc.assert(
      fc.property(rows, fc.nat({ max: 4 }), fc.nat({ max: 130 }), fc.boolean(), (some, column, before, isEnded) => {
        const text = some.map(([fields, end]) => fields.join(',') + end).join('');
        const whole = isEnded ? text : text.replace(/\r?\n$/, '');
        // Papa Parse knows one line end at a time.
        const sources = some.map(([fields]) => fields.join(',')).filter((source) => source !== '');
        // Of one record without a value it makes none.
        const { data } = Papa.parse<string[]>(`${sources.join('\n')}\nx`, { delimiter: ',', newline: '\n' });
        const expected = data.slice(sources.length === 0 ? 2 : 0, -1).map((fields, i) => {
          const source = sources[i];
          return column < fields.length ? [source, [fields[column]]] : source;
        });
        expect(cutAll(kernels, whole, { wanted: [column], before })).toEqual(expected);
      }),
      { numRuns: scaled(10_000, 20) },
    );
  });

  it('and takes what is malformed as that, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            record.map((fields) => `${fields.join(',')}\n`),
            content,
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          const text = parts.join('');
          const all = cutAll(kernels, text);
          for (const one of all) {
            const isBad = typeof one === 'string';
            expect(WELL_FORMED.test(isBad ? one : one[0])).toBe(!isBad);
          }
          // Nothing is lost: what lies between the records is line ends.
          let at = /^(\r?\n)*/.exec(text)?.[0].length ?? 0;
          for (const one of all) {
            const source = typeof one === 'string' ? one : one[0];
            expect(text.slice(at, at + source.length)).toBe(source);
            at += source.length;
            at += /^(\r?\n)*/.exec(text.slice(at))?.[0].length ?? 0;
          }
          expect(at).toBe(text.length);
        },
      ),
      { numRuns: scaled(10_000, 20) },
    );
  });
});

describe('both backends cut the same', () => {
  it('whatever bytes', async () => {
    const { bigint, wasm } = await import('../../src/kernels/index.js');
    const bytes = fc.array(fc.constantFrom(...encoder.encode('a,"\n\r;\0\\\\N'), 0xe9), { maxLength: 200 });
    const how = fc.record({
      wanted: fc.constantFrom([0], [1], [0, 2], [3, 1]),
      delimiter: fc.constantFrom(',', ';'),
      quote: fc.constantFrom(0x22, NO_BYTE),
      escaper: fc.constantFrom(undefined, '\\', '\\', '\0'),
      isEnd: fc.boolean(),
      most: fc.integer({ min: 1, max: 20 }),
      before: fc.nat({ max: 70 }),
      fields: fc.oneof(fc.nat({ max: 4 }), fc.constant(RAGGED)),
    });
    fc.assert(
      fc.property(bytes, how, (some, { escaper, ...options }) => {
        const all = { ...options, ...(escaper === undefined ? {} : { escaper }) };
        expect(cut(wasm, Uint8Array.from(some), all)).toEqual(cut(bigint, Uint8Array.from(some), all));
      }),
      { numRuns: scaled(20_000, 20) },
    );
  });
});
