import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { Inspection, type View } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, FORMATS, type Settings } from '../../src/inspector/decode/settings.js';
import { WIDE_ID_KINDS } from '../../src/tokens/formats.js';
import { UUIDS_WITHOUT_TIME, WIDE_ID_VECTORS } from '../vectors/wide-ids.js';

const A = '01907370-e495-7000-8f3e-1a2b3c4d5e6f'; // 2024-07-02T12:34:56.789Z
const B = '01907371-cef5-7001-8f3e-1a2b3c4d5e6f'; // a minute later
const FOUR = '919108f7-52d1-4320-9bac-f847db4148a8';
const OBJECT = '507f1f77bcf86cd799439011'; // 2012-10-17T21:13:27Z
const SNOWFLAKE = '154173452582932603';
const DATE = '2024-07-02T12:34:56.789Z';
const UUID_EXPECTED = 'not a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens';

function inspect(text: string, settings: Partial<Settings> = {}): { inspection: Inspection; view: View } {
  const inspection = new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 0));
  return { inspection, view: inspection.view({ ...DEFAULTS, ...settings }) };
}

/** The cells of the table, with the reason of a bad row at the end. */
function rowsOf(text: string, settings?: Partial<Settings>): string[][] {
  const { view } = inspect(text, settings);
  return view.firstRows.map(({ cells, problem }) => (problem === '' ? [...cells] : [...cells.slice(0, 2), problem]));
}

const idsOf = (text: string, settings?: Partial<Settings>) => rowsOf(text, settings).map(([, id]) => id);

function problemOf(text: string, version: number | undefined): string {
  if (/^[0-]+$/.test(text)) return 'the nil UUID: all of its bits are 0, and it stands for none';
  if (/^[f-]+$/i.test(text)) return 'the max UUID: all of its bits are 1';
  if (version === undefined) return 'UUID of another variant than that of RFC 9562: it has no time in it';
  return version === 8
    ? 'UUID of version 8: only its maker knows what is in it'
    : `UUID of version ${version}: it has no time in it`;
}

describe('one wide id', () => {
  it.each(WIDE_ID_VECTORS)('$kind $text has its date', ({ kind, text, ms }) => {
    const { view } = inspect(text, { read: kind });
    const [row] = view.firstRows;
    expect(view).toMatchObject({ rows: 1, bad: 0, misfits: 0, read: kind });
    expect(row?.cells).toEqual(['1', text, expect.any(String), String(ms)]);
    const date = row?.cells[2];
    expect(Date.parse(date)).toBe(Math.floor(ms));
    expect(/\.\d{6}Z$/.test(date)).toBe(/-[16]...-....-/.test(text));
  });

  it.each(
    WIDE_ID_VECTORS.filter(({ text }) => text.includes('-') || (/\d/.test(text) && /[a-z]/i.test(text))),
  )('$kind $text is recognised', ({ kind, text }) => {
    expect(inspect(text).view.read).toBe(kind);
  });

  it.each(UUIDS_WITHOUT_TIME)('$text is a UUID without a time', ({ text, version }) => {
    const { view } = inspect(text);
    expect(view).toMatchObject({ read: 'uuid', bad: 0, misfits: 1 });
    expect(view.firstRows[0]).toMatchObject({ problem: problemOf(text, version) });
    expect(view.wide).toBe(version === undefined ? 'a UUID' : `a UUID of version ${version}`);
  });

  it.each([
    A.toUpperCase(),
    `{${A}}`,
    `urn:uuid:${A}`,
    `URN:UUID:${A}`,
    A.replaceAll('-', ''),
    `"${A}",`,
  ])('%s is a UUID in another way of writing', (text) => {
    expect(inspect(text).view).toMatchObject({ read: 'uuid', bad: 0, wide: 'a UUID of version 7' });
    expect(rowsOf(text)[0]?.[2]).toBe(DATE);
  });

  it('says what it is, and what it may be', () => {
    expect(inspect(OBJECT).view.wide).toBe('if it is a MongoDB ObjectId');
    expect(inspect(OBJECT, { read: 'objectid' }).view.wide).toBe('read as a MongoDB ObjectId');
    expect(inspect(`${OBJECT}\n${OBJECT}`).view.wide).toBe('if each is a MongoDB ObjectId');
    expect(inspect('9m4e2mr0ui3e8a215n4g').view.wide).toBe('if it is an xid');
    expect(inspect(`${A}\n${FOUR}\nC232AB00-9414-11EC-B3C8-9F6BDECED846`).view.wide).toBe(
      'UUIDs of versions 1, 4, and 7',
    );
  });

  it.each([
    SNOWFLAKE,
    '18446744073709551610', // also an xid
    '000000000000000000000000',
    'd41d8cd98f00b204e9800998ecf8427e', // of MD5
    'counterrevolutionaries',
    '1_541_815_603_606_036_480',
  ])('is not %s', (text) => {
    expect(inspect(text).view).toMatchObject({ read: 'dec', wide: undefined });
  });

  it('is read as another kind only if it is told to be', () => {
    expect(inspect(A, { read: 'dec' }).view).toMatchObject({ wide: undefined, bad: 1 });
    expect(inspect(SNOWFLAKE, { read: 'ulid' }).view.reasons[0]?.reason).toMatch(/^not a ULID: 26 characters/);
    for (const read of [...FORMATS, ...WIDE_ID_KINDS]) expect(inspect(A, { read }).view.read).toBe(read);
  });
});

describe('many wide ids', () => {
  it('are a column beside rows that are not', () => {
    const uuids = `${A}\nnot an id\n${FOUR}\n\n${B}\n`;
    expect(rowsOf(uuids)).toEqual([
      ['1', A, DATE, '1719923696789'],
      ['2', 'not an id', UUID_EXPECTED],
      ['3', FOUR, 'UUID of version 4: it has no time in it'],
      ['5', B, '2024-07-02T12:35:56.789Z', '1719923756789'],
    ]);
    const { view } = inspect(uuids);
    expect(view).toMatchObject({
      rows: 4,
      bad: 1,
      misfits: 1,
      blankLines: 1,
      overTime: { edges: expect.any(Array) },
      perValue: undefined,
    });
    expect(view.span).toEqual({ first: DATE, last: '2024-07-02T12:35:56.789Z' });
    expect(view.columns.map(({ key }) => key)).toEqual(['line', 'id', 'date', 'timestamp']);
    expect(inspect(uuids, { layout: { spec: 'twitter' } }).view.span?.first).toBe(DATE);
  });

  it('are a column beside ids of 64 bits, each with its own date', () => {
    expect(rowsOf(`${A}\n${B}\n${SNOWFLAKE}\n`)).toEqual([
      ['1', A, 'UUID', DATE],
      ['2', B, 'UUID', '2024-07-02T12:35:56.789Z'],
      ['3', SNOWFLAKE, 'Sonyflake', '2017-07-30T14:15:38.750Z'],
    ]);
    expect(idsOf(`${A}\n${B}\n${SNOWFLAKE}\n`, { group: 'UUID' })).toEqual([A, B]);
  });

  it.each([
    ['a table', `user,request\nada,${A}\nbob,${B}`],
    ['a table without names', `ada;${A}\nbob;${B}`],
    ['a table with a UUID of version 4', `trace,request\n${FOUR},${A}\n${FOUR},${B}`],
    ['a list', `${A}, ${B}`],
    ['JSON', JSON.stringify([{ trace: FOUR, request: { id: A } }, { request: { id: B } }])],
    [
      'JSON of MongoDB',
      JSON.stringify([
        { n: 5, _id: { $oid: A } },
        { n: 6, _id: { $oid: B } },
      ]),
    ],
    ['lines of a log', `12:00 INFO request ${A} took 15 ms\n12:01 INFO request ${B} took 17 ms`],
    ['calls', `{ _id: UUID("${A}") }\n{ _id: UUID("${B}") }`],
  ])('are found in %s', (_, text) => {
    expect(idsOf(text)).toEqual([A, B]);
    expect(inspect(text).view).toMatchObject({ read: 'uuid', bad: 0 });
  });

  it('are found in text by their letters and by their names', () => {
    expect(idsOf(`x ObjectId("${OBJECT}") y\nz ObjectId("${OBJECT}")`)).toEqual([OBJECT, OBJECT]);
    const letters = 'abcdefab-cdef-7abc-8def-abcdefabcdef';
    expect(idsOf(`a ${letters} b\nc /x/${letters}/y`)).toEqual([letters, letters]);
    const ksuid = '0ujtsYcgvSTl8PAuAdqWYSMnLOv';
    expect(idsOf(`at=1 user_id=${ksuid} ok\nat=2 user_id=${ksuid} ok`)).toEqual([ksuid, ksuid]);
    expect(idsOf(`at=1 token=${ksuid} ok\nat=2 token=${ksuid} ok`)).toEqual([ksuid, ksuid]);
    expect(idsOf(`a ${FOUR} b\na ${FOUR} b`)).toEqual([FOUR, FOUR]);
  });

  it('stand beside ids of 64 bits in lines, and in columns the name decides', () => {
    expect(idsOf(`request ${A} of ${SNOWFLAKE} done\nrequest ${B} done`)).toEqual([A, SNOWFLAKE, B]);
    expect(idsOf(`request ${A} of ${SNOWFLAKE} done\nand ${SNOWFLAKE}`)).toEqual([A, SNOWFLAKE, SNOWFLAKE]);
    expect(idsOf(`id,trace\n${SNOWFLAKE},${A}`)).toEqual([SNOWFLAKE]);
    expect(idsOf(`id,user_id\n${A},${SNOWFLAKE}`)).toEqual([A]);
  });

  it('have microseconds, and dates before 1970', () => {
    const text = '4d1e53e2-a182-11ed-a4bf-3f161938a1c4\n00000000-0000-1000-8000-000000000000';
    expect(rowsOf(text).map(([, , date, ms]) => [date, ms])).toEqual([
      ['2023-01-31T16:14:13.000701Z', '1675181653000.701'],
      ['1582-10-15T00:00:00.000000Z', '-12219292800000'],
    ]);
  });
});

describe('the table of wide ids', () => {
  const first = 'ffffffff-ffff-11b2-8000-000000000000'; // 1998, and last by text
  const text = [B, first, A, B.toUpperCase(), 'x', FOUR].join('\n');

  it('is sorted by text and by date', () => {
    const sorted = (sort: string, descending = false) => idsOf(text, { sort: { column: sort, descending } });
    expect(sorted('id')).toEqual([A, B, B.toUpperCase(), first, 'x', FOUR]);
    expect(sorted('id', true)).toEqual([first, B, B.toUpperCase(), A, 'x', FOUR]);
    expect(sorted('date')).toEqual([first, A, B, B.toUpperCase(), 'x', FOUR]);
  });

  it('is sorted by text as numbers of any length are', () => {
    const ids = Array.from({ length: 5000 }, (_, i) => {
      const hex = ((BigInt(i) ** 11n * 0x9e3779b97f4a7c15n) % 2n ** 64n).toString(16).padStart(16, '0');
      return `${(i * 7919).toString(16).padStart(8, '0').slice(-8)}${hex}`;
    });
    const { inspection } = inspect(ids.join('\n'), { read: 'objectid', sort: { column: 'id', descending: false } });
    expect(inspection.rows(0, 5000).map(({ cells }) => cells[1])).toEqual(ids.sort());
  });

  it.each([
    ['date>=2024', [B, A, B.toUpperCase()]],
    ['date<2024-07-02T12:35', [first, A]],
    ['timestamp=1719923696789', [A]],
    [`id=${A}`, [A]],
    [`id="urn:uuid:${B}"`, [B, B.toUpperCase()]],
    ['id=01907371', [B, B.toUpperCase()]],
    ['id!=0190', [first, FOUR]],
    ['id>0190', [first, FOUR]],
    ['id>=01907371-c', [B, first, B.toUpperCase(), FOUR]],
    [`id=${FOUR}`, [FOUR]],
    ['id<01907371', [A]],
    ['id<=01907371', [B, A, B.toUpperCase()]],
    ['id=02', []],
  ])('is filtered by %s', (filter, ids) => {
    expect(idsOf(text, { filter })).toEqual(ids);
    expect(inspect(text, { filter }).view.filterError).toBeUndefined();
  });

  it('has no fields to filter by', () => {
    expect(inspect(`${A}\n${B}`, { filter: 'routed=5' }).view.filterError).toBe(
      'there is no column “routed”, only line, id, date, timestamp',
    );
  });

  it('has statistics: what is there twice, gaps and the rate', () => {
    const { inspection } = inspect(text);
    expect(inspection.statistics()).toMatchObject({ repeated: 1, spare: 1, top: [], values: 0 });
    const { inspection: minute } = inspect(`${A}\n${B}\n${FOUR}\n${FOUR}`);
    const { repeated, spare, gaps, rate } = minute.statistics();
    expect({ repeated, spare, rate }).toEqual({ repeated: 1, spare: 1, rate: 1 / 60 });
    expect(gaps).toEqual([{ from: 1719923696789000n, to: 1719923756789000n }]);
    expect(inspect('').inspection.statistics()).toMatchObject({ repeated: 0 });
  });

  it('tells ids of one time apart, and KSUIDs by their case', () => {
    expect(inspect(`${A}\n${A.slice(0, -1)}0`).inspection.statistics()).toMatchObject({ repeated: 0 });
    const ksuids = '0ujtsYcgvSTl8PAuAdqWYSMnLOv\n0ujtsYcgvSTl8PAuAdqWYSMnLOV';
    expect(inspect(ksuids).inspection.statistics()).toMatchObject({ repeated: 0 });
  });

  it('is exported with the columns of the source', () => {
    const { inspection } = inspect(`user,request\nada,${A}\n"bob, b",oops\ncid,${FOUR}`, { read: 'uuid' });
    const { data } = Papa.parse<string[]>([...inspection.export().pieces].join('').trimEnd());
    expect(data).toEqual([
      ['user', 'request', 'line', 'id', 'date', 'timestamp', 'problem'],
      ['ada', A, '2', A, DATE, '1719923696789', ''],
      ['bob, b', 'oops', '3', 'oops', '', '', UUID_EXPECTED],
      ['cid', FOUR, '4', FOUR, '', '', 'UUID of version 4: it has no time in it'],
    ]);
  });
});
