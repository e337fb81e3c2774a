import fc from 'fast-check';
import Papa from 'papaparse';
import { afterAll, describe, expect, it } from 'vitest';
import { bigint, wasm } from '../../src/kernels/index.js';
import { NO_BYTE } from '../../src/kernels/record-types.js';
import { CsvBatches, type CsvFormat } from '../../src/rows/sources/csv.js';
import { JsonBatches } from '../../src/rows/sources/ndjson.js';
import { allCuts, checkOnBoth, latin1, MARK } from '../support/byte-strings.js';
import { IS_FULL, IS_WHOLE } from '../support/scale.js';
import { JSONS, jsonRecords } from './by-json-parse.js';
import { CSVS, csvRecords, grammarOf, newlinesIn } from './by-papa-parse.js';

/** In all 100,000 on each backend in the whole run, and 1,000 in the quick one. */
const documents = (count: number): number => Math.ceil(count / (IS_WHOLE ? 1 : IS_FULL ? 30 : 100));

const pieces = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 4 });
const weighted = (often: fc.Arbitrary<string>, weight: number, seldom: fc.Arbitrary<string>) =>
  fc.oneof({ arbitrary: often, weight }, { arbitrary: seldom, weight: 1 });

// A `,` stands for any delimiter.
const SHORT_FIELDS = [
  ...['', '', 'a', '"b"', '""', '"c"""', '"d,"', '"\n"', '"\r\n"', '\r', 'e\rf', '"\r"', ' ', '\0', '"\0"', MARK],
  ...[latin1('é'), latin1('"😀"'), `"${MARK}"`, '\u00ff', '"\u00c3"', '\u00e2\u0082'],
];
const LONG_FIELDS = ['x'.repeat(63), 'y'.repeat(130), `"${'z'.repeat(64)}"`, `"${'u,""\n'.repeat(13)}"`];
const MALFORMED_FIELDS = ['"', 'a"b', '"a"b', '""c', ' "a"', '"a" ', '"\r', '"a"\r', '"""', `${MARK}"a"`, '"b""', 'c"'];
const RECORD_ENDS = ['\n', '\n', '\r\n', '\r\n', '\r\r\n', '\n\n', ''];

const field = weighted(fc.constantFrom(...SHORT_FIELDS, ...LONG_FIELDS), 30, fc.constantFrom(...MALFORMED_FIELDS));
const record = weighted(
  fc.tuple(field, field, field).map((fields) => fields.join(',')),
  4,
  fc.array(field, { maxLength: 5 }).map((fields) => fields.join(',')),
);
const recordEnd = fc.constantFrom(...RECORD_ENDS);
const table = fc.array(fc.tuple(record, recordEnd), { maxLength: 7 }).map((records) => records.flat().join(''));
const unit = fc.constantFrom(',', ',', ...RECORD_ENDS, ...SHORT_FIELDS, ...MALFORMED_FIELDS, 'a,b,c\n');
const shortTable = fc.array(unit, { maxLength: 7 }).map((units) => units.join(''));

describe('records of CSV with a header', () => {
  const all = CSVS.map((how) => {
    const sources = [wasm, bigint].map((kernels) => new CsvBatches(kernels, how.rows));
    const delimiter = String.fromCharCode(how.rows.delimiter);
    return { how, sources, delimiter, grammar: grammarOf(delimiter) };
  });
  afterAll(() => {
    for (const { sources } of all) for (const source of sources) source.free();
  });
  const checkTable = (kind: number, spelling: number, text: string, cuts?: readonly number[][]) => {
    const { how, sources, delimiter, grammar } = all[kind];
    const header = how.headers[spelling];
    const body = text.replaceAll(',', delimiter);
    const expected = csvRecords(body, newlinesIn(header) + 1, how, grammar);
    checkOnBoth(sources, header + body, expected, cuts ?? allCuts(header.length + body.length));
  };
  const kind = fc.nat({ max: CSVS.length - 1 });
  const spelling = fc.nat({ max: 2 });

  it('have the keys that Papa Parse finds, and are malformed where they should be', () => {
    fc.assert(
      fc.property(kind, spelling, table, pieces, (i, header, text, lengths) => checkTable(i, header, text, [lengths])),
      { numRuns: documents(60_000) },
    );
  });

  it('have them wherever they are cut', () => {
    fc.assert(
      fc.property(kind, spelling, shortTable, (i, header, text) => checkTable(i, header, text)),
      { numRuns: documents(5_000) },
    );
  });

  it('have the columns that Papa Parse finds by their names', () => {
    const name = fc.constantFrom(
      ...['a', '"a"', 'b', '"b"', '"a,b"', '"a""b"', '"\n"', '', '""', ' a', latin1('é'), '\u00ff'],
    );
    const key = fc.constantFrom('a', 'b', 'a,b', 'a"b', '\n', '', 'é');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), key, fc.boolean(), (names, column, isAdded) => {
        const [header, values] = [names.join(','), names.map((_, i) => i).join(',')];
        fc.pre(header !== ''); // an empty line is no header
        const { data } = Papa.parse<string[]>(`${header}\nx`, { delimiter: ',', newline: '\n' });
        const places = (data[0] ?? []).flatMap((one, i) => (one === latin1(column) ? [i] : []));
        const isRefused = places.length !== 1 || (isAdded && data[0]?.includes('b'));
        const added = isAdded ? ['b'] : [];
        const rows: CsvFormat = {
          format: 'csv',
          delimiter: 0x2c,
          quote: 0x22,
          escaper: NO_BYTE,
          keys: [column],
          hasHeader: true,
          isRagged: false,
          added,
        };
        const sources = [wasm, bigint].map((kernels) => new CsvBatches(kernels, rows));
        const expected = [{ line: newlinesIn(header) + 2, record: values, key: String(places[0]) }];
        const run = () => checkOnBoth(sources, `${header}\n${values}`, expected, [[7]]);
        if (isRefused) expect(run).toThrow(/^line 1: expected /);
        else run();
        for (const source of sources) source.free();
      }),
      { numRuns: documents(1_000) },
    );
  });
});

const NAMES = [
  ...['"a"', '"a"', '"a"', '"b"', '"b"', '"\\u0061"', '"\\u0062"', latin1('"é"'), '"\\u00e9"', '"ab"', '""'],
  ...['"shard"', '"__proto__"', '"\\ud83d"', '"a\\u0000"', '"\u00ff"', '"\\"a"'],
];
const SCALARS = [
  ...['1', '-0', '0.10', '1e3', '-12.50E+07', '18446744073709551616', '1E-2', 'true', 'false', 'null', '""', '"x"'],
  ...['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u00e9\\u65e5"', '"\\ud83d\\ude00"', '"\\uD83D"', '"\\ude00\\ud83d"'],
  ...['"\\ud83dx"', '"\\ud83d\\u0041"', '"\\ud83d\\ud83d\\ude00"', '"\\ud83d\\n"', '"\\ud83d\\\\ude00"', '"\\u0000"'],
  ...['"\\ud800\\udc00"', '"\\uDBFF\\uDFFF"', '"\\uda00\\uDC0a"', '"\\udc00\\udc00"'],
  ...['"\\ud7ff\\udc00"', '"\\ue000\\uFFFF"'],
  ...['"\u007f"', latin1('"é😀"'), '"\u00ff\u00c3\\n"', '"\u00e2\u0082"', `"${MARK}"`, '"{\\"a\\":1}"', '"],:"'],
  ...[13, 14, 15, 16, 17].flatMap((length) => [`"${'y'.repeat(length)}"`, `"${'y'.repeat(length)}\\u00e9"`]),
];
const NO_JSON = [
  ...['01', '1.', '.5', '+1', '-', '1e', 'NaN', 'tru', 'nulll', "'x'", '"\\x"', '"\\u12g4"', '"\\u12"', '"\0"', '"\t"'],
  ...['"x', '', '\u00ff', '{', '[1', '\u00a0', '1 2'],
];
type Change = (line: string) => string;
const CHANGES: Change[] = [
  ...Array.from({ length: 40 }, (): Change => (line) => line),
  ...([(line) => ` ${line}\t`, (line) => `[${line}]`, (line) => line + line, (line) => line.slice(1)] as Change[]),
  ...([(line) => line.slice(0, -1), () => '', () => '"a"', (line) => MARK + line] as Change[]),
  ...([(line) => line.replace(':', ''), (line) => line.replace(',', ',,'), (line) => `${line},`] as Change[]),
];

const space = fc.constantFrom('', '', '', '', ' ', '\t', '\r', ' \r\t ');
const scalar = weighted(fc.constantFrom(...SCALARS), 60, fc.constantFrom(...NO_JSON));
const name = fc.constantFrom(...NAMES);
const { object, member } = fc.letrec<Record<'value' | 'member' | 'object', string>>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'json', withCrossShrink: true },
    { arbitrary: scalar, weight: 3 },
    { arbitrary: tie('object'), weight: 2 },
    { arbitrary: fc.array(tie('value'), { maxLength: 2 }).map((values) => `[${values.join(',')}]`), weight: 1 },
  ),
  member: fc.tuple(name, space, tie('value')).map(([one, some, value]) => `${some}${one}${some}:${value}`),
  object: fc
    .tuple(fc.array(tie('member'), { maxLength: 4, depthIdentifier: 'json' }), space)
    .map(([members, some]) => `{${members.join(',')}${some}}`),
}));
/** Members that have keys, unless others come behind them. */
const KEYED: ((a: string, b: string, c: string) => string)[] = [
  (a, b, c) => `"b":${b},"a":${a},"ab":${c}`,
  (a, b, c) => `"a":{"a":${c},"b":${b},${latin1('"é"')}:${a}},"b":${c}`,
  (a, b, c) => `"b":${b},"\\u0061":{"a":${c},"b":{"b":${c}, "a" :${a}},"\\u00e9":${b}}`,
];
const keyed = fc
  .tuple(fc.constantFrom(...KEYED), scalar, scalar, scalar, fc.array(member, { maxLength: 2 }), fc.boolean())
  .map(([all, a, b, c, others, isFirst]) => {
    const parts = isFirst ? [all(a, b, c), ...others] : [...others, all(a, b, c)];
    return `{${parts.join(',')}}`;
  });
const shortObject = fc.oneof(
  fc.tuple(name, scalar).map(([one, value]) => `{${one}:${value}}`),
  fc.tuple(fc.constantFrom(...KEYED), scalar).map(([all, value]) => `{${all(value, '1', '""')}}`),
);

function ndjson(line: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\r\r\n');
  const lines = fc.array(fc.tuple(line, fc.constantFrom(...CHANGES), lineEnd), { maxLength });
  return fc.tuple(fc.constantFrom('', '', MARK), lines, fc.boolean()).map(([start, some, isEnded]) => {
    const text = some.map(([one, change, end]) => change(one) + end).join('');
    return start + (isEnded ? text : text.replace(/\r*\n$/, ''));
  });
}

describe('records of NDJSON', () => {
  const all = JSONS.map((rows) => ({ rows, sources: [wasm, bigint].map((kernels) => new JsonBatches(kernels, rows)) }));
  afterAll(() => {
    for (const { sources } of all) for (const source of sources) source.free();
  });
  const checkLines = (kind: number, text: string, cuts?: readonly number[][]) => {
    const { rows, sources } = all[kind];
    checkOnBoth(sources, text, jsonRecords(text, rows), cuts ?? allCuts(text.length));
  };
  const kind = fc.nat({ max: JSONS.length - 1 });

  it('have the keys that JSON.parse finds, numbers as they are written', () => {
    fc.assert(
      fc.property(kind, ndjson(fc.oneof(object, keyed, keyed), 5), pieces, (i, text, lengths) =>
        checkLines(i, text, [lengths]),
      ),
      { numRuns: documents(32_000) },
    );
  });

  it('have them wherever they are cut', () => {
    fc.assert(
      fc.property(kind, ndjson(shortObject, 2), (i, text) => checkLines(i, text)),
      { numRuns: documents(3_000) },
    );
  });
});
