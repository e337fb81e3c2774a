import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigint, wasm } from '../../src/kernels/index.js';
import { encodePaths, Fault, MAX_LEVELS, Stop, workBytes } from '../../src/kernels/record-types.js';
import { recordKernels } from '../../src/kernels/records.js';
import type { Kernels } from '../../src/kernels/types.js';
import { onBothBackends } from '../support/backends.js';
import { anyCharacter } from '../support/characters.js';
import { scaled } from '../support/scale.js';

const SLACK = 63;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface Read {
  /** By line: the values along the paths. */
  readonly keys: readonly (readonly string[])[];
  /** By line: up to the last brace. */
  readonly closed: readonly string[];
  readonly fault: number;
}

/** Reads lines; `extra` is a name that they must not have or, if they are closed, may have besides `names`. */
function read(
  kernels: Kernels,
  lines: readonly (string | Uint8Array)[],
  names: readonly (readonly string[])[],
  extra?: string,
  isClosed = false,
): Read {
  const bytes = lines.map((line) => (typeof line === 'string' ? encoder.encode(line) : line));
  const byteLength = bytes.reduce((sum, { length }) => sum + length + 1, 0);
  const all = extra === undefined ? names : [...names, [extra]];
  const encoded = encodePaths(all);
  const rows = lines.length;
  const most = rows + 3;
  const u32 = (length: number) => kernels.column('u32', length);
  const u8 = (length: number) => kernels.column('u8', length);
  const columns = {
    data: u8(byteLength + SLACK),
    paths: u8(encoded.length),
    work: u8(workBytes(all)),
    text: u8(byteLength + 12 * rows * all.length + 1),
    starts: u32(rows),
    ends: u32(rows),
    keyStarts: u32(most * all.length),
    keyEnds: u32(most * all.length),
    closes: u32(most),
    stop: u32(Stop.LENGTH),
    offsets: u32(most + 1),
  };
  const data = columns.data.array;
  data.fill(0x22); // what is around the lines must not matter
  let at = 0;
  for (const [row, line] of bytes.entries()) {
    data.set(line, at);
    columns.starts.array[row] = at;
    at += line.length;
    columns.ends.array[row] = at++;
  }
  columns.paths.array.set(encoded);
  const [starts, ends] = [columns.starts.array, columns.ends.array];
  const paths = {
    names: all,
    extra: extra === undefined ? 0 : 1,
    isClosed,
    encoded: columns.paths.array,
    work: columns.work.array,
  };
  const [keyStarts, keyEnds] = [columns.keyStarts.array, columns.keyEnds.array];
  const [closes, stop] = [columns.closes.array, columns.stop.array];
  const found = {
    format: 'json',
    quote: 0x22,
    escaper: 0x5c,
    most,
    fields: names.length,
    keyStarts,
    keyEnds,
    closes,
    stop,
  } as const;
  const { jsonRecords, keyColumn } = recordKernels(kernels);
  const count = jsonRecords({ data, starts, ends }, paths, found);
  const keys = names.map((_, path) => {
    const from = path * most;
    const one = { ...found, fields: 1, keyStarts: keyStarts.subarray(from), keyEnds: keyEnds.subarray(from) };
    const [text, offsets] = [columns.text.array, columns.offsets.array];
    const quoted = Array.from({ length: count }, (_, row) => data[one.keyStarts[row]] === 0x22);
    const isEmpty = Array.from({ length: count }, (_, row) => one.keyStarts[row] === one.keyEnds[row]);
    if (quoted.some((is, row) => is && !isEmpty[row])) expect(stop[Stop.ESCAPED]).toBeGreaterThan(0);
    keyColumn(data, one, count, text, offsets);
    return Array.from({ length: count }, (_, row) => decoder.decode(text.subarray(offsets[row], offsets[row + 1])));
  });
  const outcome = {
    keys: Array.from({ length: count }, (_, row) => keys.map((column) => column[row])),
    closed: Array.from({ length: count }, (_, row) => decoder.decode(data.subarray(starts[row], closes[row] + 1))),
    fault: stop[Stop.FAULT],
  };
  for (const column of Object.values(columns)) column.free();
  return outcome;
}

/** What JSON.parse finds along a path: a text, or nothing if that is not a key. */
function valueAlong(record: unknown, path: readonly string[]): string | undefined {
  let value = record;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

onBothBackends('lines of JSON', (kernels) => {
  it.each<[name: string, line: string, path: string[], value: string]>([
    ['a string', '{"a":"b"}', ['a'], 'b'],
    ['an empty string', '{"a":""}', ['a'], ''],
    ['a number, as it is written', '{"a":-1.50e+3}', ['a'], '-1.50e+3'],
    ['a large number', '{"a":18446744073709551615}', ['a'], '18446744073709551615'],
    ['true and false', '{"a":true,"b":false}', ['b'], 'false'],
    ['escapes', String.raw`{"a":"\"\\\/\b\f\n\r\t\u00e9\u65E5\uD83D\uDE00x"}`, ['a'], '"\\/\b\f\n\r\té日😀x'],
    ['halves of surrogate pairs', String.raw`{"a":"\ud83d\ud83d\ude00\ude00\ud83dx"}`, ['a'], '\ufffd😀\ufffd\ufffdx'],
    ['space anywhere', ' \t{ "b" : [ ] , \r"a" : "x" } ', ['a'], 'x'],
    ['a path', '{"a":{"b":{"c":"x"}}}', ['a', 'b', 'c'], 'x'],
    ['a name that comes twice', '{"a":"x","a":"y"}', ['a'], 'y'],
    ['a path whose start comes twice', '{"a":{"b":"x"},"a":{"b":"y"}}', ['a', 'b'], 'y'],
    ['nested names that are the same', '{"b":{"a":"x","c":[{"a":"y"}]},"a":"z","d":{"a":"u"}}', ['a'], 'z'],
    ['a name with escapes', String.raw`{"\u0061\n":"x"}`, ['a\n'], 'x'],
    ['a name that is not ASCII', '{"日本":"x"}', ['日本'], 'x'],
    ['an empty name', '{"":"x"}', [''], 'x'],
    ['a long string', `{"b":"${'y'.repeat(100)}","a":"${'x'.repeat(100)}"}`, ['a'], 'x'.repeat(100)],
  ])('have a key: %s', (_name, line, path, value) => {
    expect(read(kernels, [line], [path])).toEqual({
      keys: [[value]],
      closed: [line.replace(/\s*$/, '')],
      fault: Fault.NONE,
    });
  });

  it.each<[fault: keyof typeof Fault, lines: string[]]>([
    [
      'NO_JSON',
      ['', ' ', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{"a" 1}', '{"a":1}}', '{"a":1}x'],
    ],
    ['NO_JSON', ['{"a":01}', '{"a":1.}', '{"a":.5}', '{"a":+1}', '{"a":1e}', '{"a":-}', '{"a":NaN}', '{"a":1}{"a":1}']],
    [
      'NO_JSON',
      ["{'a':1}", '{a:1}', '{"a":"b}', '{"a":"\n"}', '{"a":"\t"}', String.raw`{"a":"\x"}`, '{"a":nul}', '{"a":[1,]}'],
    ],
    [
      'NO_JSON',
      [String.raw`{"a":"\u12"}`, String.raw`{"a":"\u12g4"}`, '{"a":[1}', '{"a":{"b":1]', '\ufeff{"a":1}', '"a', '[1'],
    ],
    ['NO_OBJECT', ['1', '"a"', 'null', '[]', '[{"a":1}]', ' true ']],
    [
      'NO_KEY',
      ['{}', '{"b":1}', '{"a":null}', '{"a":{}}', '{"a":[1]}', '{"a":1,"a":null}', '{"b":{"a":1}}', '{"A":1}'],
    ],
    ['TOO_DEEP', [`{"a":${'['.repeat(MAX_LEVELS)}${']'.repeat(MAX_LEVELS)}}`]],
  ])('are malformed: %s, %j', (fault, lines) => {
    for (const line of lines)
      expect({ line, ...read(kernels, ['{"a":1}', line], [['a']]) }).toMatchObject({
        keys: [['1']],
        fault: Fault[fault],
      });
  });

  it('may be nested as deep as that', () => {
    const nested = `{"b":${'['.repeat(MAX_LEVELS - 1)}${']'.repeat(MAX_LEVELS - 1)},"a":1}`;
    expect(read(kernels, [nested], [['a']])).toMatchObject({ keys: [['1']], fault: Fault.NONE });
  });

  it('have keys along several paths, one the start of another', () => {
    const paths = [['b'], ['a', 'c'], ['a'], ['b']];
    expect(read(kernels, ['{"a":{"c":1},"b":"x"}'], paths).fault).toBe(Fault.NO_KEY);
    expect(read(kernels, ['{"a":{"c":1},"b":"x"}'], [['b'], ['a', 'c'], ['b']]).keys).toEqual([['x', '1', 'x']]);
    expect(read(kernels, ['{"a":{"c":1},"a":{"d":2}}'], [['a', 'c']]).fault).toBe(Fault.NO_KEY);
  });

  it('are malformed if they have a name that is refused, whatever its value', () => {
    for (const value of ['1', 'null', '{}', '[]', '"x"']) {
      expect(read(kernels, [`{"a":1,"shard":${value}}`], [['a']], 'shard').fault).toBe(Fault.HAS_NAME);
    }
    const nested = read(kernels, ['{"a":1,"b":{"shard":1}}'], [['a']], 'shard');
    expect(nested).toMatchObject({ keys: [['1']], fault: Fault.NONE });
  });

  it('are malformed if they are closed and have another name, or one twice', () => {
    const closed = (line: string) => read(kernels, ['{"b":1,"a":"x"}', line], [['a'], ['b']], 'id', true);
    for (const line of [
      '{"a":1,"b":2,"c":3}',
      '{"c":null,"a":1,"b":2}',
      '{"a":1,"b":2,"a":1}',
      '{"id":1,"a":1,"b":2,"id":1}',
      '{"a":1,"b":2,"i":1}',
      '{"":1,"a":1,"b":2}',
      '{"a":1,"c":1}',
    ]) {
      expect({ line, ...closed(line) }).toMatchObject({ keys: [['x', '1']], fault: Fault.HAS_NAME });
    }
    for (const value of ['1', 'null', '{"c":1,"c":2}', '[{"a":1}]']) {
      expect(closed(`{"a":2,"id":${value},"\\u0062":3}`)).toMatchObject({
        keys: [
          ['x', '1'],
          ['2', '3'],
        ],
        fault: Fault.NONE,
      });
    }
    expect(closed('{"a":1,"id":1}').fault).toBe(Fault.NO_KEY);
  });

  it('have bytes that are no UTF-8 as they are', () => {
    const line = Uint8Array.from([...encoder.encode('{"a":"'), 0xff, 0x80, ...encoder.encode('"}')]);
    expect(read(kernels, [line], [['a']])).toMatchObject({ keys: [['\ufffd\ufffd']], fault: Fault.NONE });
  });

  const name = fc.constantFrom('a', 'b', '', 'é', '\n', 'shard');
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  }));
  const path = fc.array(name, { minLength: 1, maxLength: 3 });

  it('are as JSON.parse has them, whatever they hold', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5 }), path, fc.boolean(), (record, along, isSpaced) => {
        const line = JSON.stringify(record, null, isSpaced ? ' ' : undefined).replaceAll('\n', ' ');
        const expected = valueAlong(record, along);
        const { keys, fault } = read(kernels, [line], [along]);
        if (expected === undefined) expect(fault).toBe(Fault.NO_KEY);
        else expect(keys).toEqual([[decoder.decode(encoder.encode(expected))]]);
      }),
      { numRuns: scaled(10_000, 20) },
    );
  });

  it('are malformed where JSON.parse says so, and nowhere else', () => {
    const unit = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b"',
      '"',
      '\\',
      'u0061',
      '1',
      '-',
      '.',
      'e',
      '0',
      'true',
      'null',
      ' ',
      '\u0001',
    );
    const text = fc.oneof(
      fc.array(unit, { maxLength: 20 }).map((units) => units.join('')),
      fc.array(unit, { maxLength: 5 }).map((units) => `{"a":1,"b":${units.join('')}}`),
      fc.array(unit, { maxLength: 4 }).map((units) => `{"a":"${units.join('')}"}`),
    );
    fc.assert(
      fc.property(text, (line) => {
        let record: unknown;
        let isJson = true;
        try {
          record = JSON.parse(line);
        } catch {
          isJson = false;
        }
        const isObject = typeof record === 'object' && record !== null && !Array.isArray(record);
        const key = valueAlong(record, ['a']);
        const expected = !isJson
          ? Fault.NO_JSON
          : !isObject
            ? Fault.NO_OBJECT
            : key === undefined
              ? Fault.NO_KEY
              : Fault.NONE;
        expect({ line, fault: read(kernels, [line], [['a']]).fault }).toEqual({ line, fault: expected });
      }),
      { numRuns: scaled(20_000, 20) },
    );
  });
});

describe('both backends read the same', () => {
  it('whatever bytes', () => {
    const bytes = fc.array(fc.constantFrom(...encoder.encode('{}[]:,"\\aub01e-. \n'), 0xe9), { maxLength: 60 });
    const line = bytes.map((some) => Uint8Array.from([...encoder.encode('{"a":{"b":"'), ...some]));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), fc.boolean(), (lines, isRefused) => {
        const how = [lines, [['a'], ['a', 'b']], isRefused ? 'b' : undefined] as const;
        expect(read(wasm, ...how)).toEqual(read(bigint, ...how));
      }),
      { numRuns: scaled(10_000, 20) },
    );
  });
});
