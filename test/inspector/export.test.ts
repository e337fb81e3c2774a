import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';

const A = '154173452582932603';
const B = '286435872092454913';
// Rows are written 10,000 at a time: of 12,000, some are in another piece.

function inspect(text: string, settings: Partial<Settings> = {}): Inspection {
  const inspection = new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 0));
  inspection.view({ ...DEFAULTS, layout: { spec: 'snowflake' }, ...settings });
  return inspection;
}

/** The rows of an export as another program reads them. */
function exported(text: string, settings?: Partial<Settings>): { header: string[]; rows: Record<string, string>[] } {
  const csv = [...inspect(text, settings).export().pieces].join('');
  const { data, errors } = Papa.parse<string[]>(csv.trimEnd());
  expect(errors).toEqual([]);
  const [header = [], ...rows] = data;
  expect(rows.every(({ length }) => length === header.length)).toBe(true);
  return { header, rows: rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? '']))) };
}

const DECODED = ['line', 'id', 'date', 'timestamp', 'shard', 'sequence', 'problem'];

describe('an export', () => {
  it('has the columns of a table first, in their order', () => {
    const { header, rows } = exported(
      `user;order;note\nada;${A};"a; ""b"""\n\n"bob\nthe second";${B};\ncid;oops;x;more\ndan`,
    );
    expect(header).toEqual(['user', 'order', 'note', 'column 4', ...DECODED]);
    expect(rows).toMatchObject([
      { user: 'ada', order: A, note: 'a; "b"', line: '2', id: A, shard: '5', problem: '' },
      { user: 'bob\nthe second', order: B, note: '', line: '4', id: B },
      {
        user: 'cid',
        order: 'oops',
        note: 'x',
        'column 4': 'more',
        line: '6',
        id: 'oops',
        problem: 'no id found',
      },
      { user: 'dan', order: '', note: '', line: '7', problem: expect.stringContaining('does not have this column') },
    ]);
  });

  it('keeps rows and columns together when rows are sorted and filtered', () => {
    const text = ['n,id', ...Array.from({ length: 12_000 }, (_, i) => `${i},${BigInt(A) + BigInt(i)}`)].join('\r\n');
    const { rows } = exported(text, { sort: { column: 'id', descending: true }, filter: 'line>2' });
    expect(rows).toHaveLength(11_999);
    expect(rows[0]?.n).toBe('11999');
    for (const { n, id } of rows) if (BigInt(id) - BigInt(A) !== BigInt(n)) expect(n).toBe(id);
  });

  it('numbers names that are there already', () => {
    const { header, rows } = exported(`id,shard,shard,ID\n${A},x,y,z`);
    expect(header.slice(0, 4)).toEqual(['id', 'shard', 'shard_2', 'ID']);
    expect(header.slice(4)).toEqual(['line', 'id_2', 'date', 'timestamp', 'shard_3', ...DECODED.slice(5)]);
    expect(rows[0]).toMatchObject({ id: A, shard: 'x', shard_2: 'y', id_2: A, shard_3: '5' });
  });

  it.each([
    ['an array', (rows: string[]) => `[${rows.join(',')}]`],
    ['lines', (rows: string[]) => rows.join('\n')],
    ['an array in an object', (rows: string[]) => `{"next": null, "items": [\n${rows.join(',\n')}]}`],
  ])('has the leaves of JSON in %s', (_, join) => {
    const { header, rows } = exported(
      join([
        `{"user": {"name": "Ada \\"A\\" \\u00e9"}, "id": ${A}, "big": 12345678901234567890}`,
        `{"id": "${B}", "tags": [1, {"id": 2}], "ok": true, "big": null}`,
        '{"user": {"name": "no id"}}',
      ]),
    );
    expect(header).toEqual(['user.name', 'id', 'big', 'ok', 'line', 'id_2', ...DECODED.slice(2)]);
    expect(rows).toMatchObject([
      { 'user.name': 'Ada "A" é', id: A, big: '12345678901234567890', ok: '', id_2: A },
      { 'user.name': '', id: B, big: '', ok: 'true', id_2: B },
      { 'user.name': 'no id', id: '', problem: expect.stringContaining('does not have this column') },
    ]);
  });

  it.each([
    '"x"',
    '" x"',
    '""',
    '7',
    'null',
    '[]',
  ])('has no values beside %s among the objects of an array', (value) => {
    const { rows } = exported(`[{"name": "Ada", "id": ${A}}, ${value}, {"name": "Bob", "id": ${B}}]`);
    expect(rows.map(({ name }) => name)).toEqual(['Ada', '', 'Bob']);
  });

  it('has the table alone where the source is nothing but ids', () => {
    for (const text of [`${A}\n${B}`, `order\n${A}\n${B}`, `[${A}, "${B}"]`, `[{"id":${A}}]`]) {
      expect(exported(text).header).toEqual(DECODED);
    }
  });

  it.each([
    ['ULIDs', '01ARYZ6S41TSV4RRFFQ69G5FAV\n01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['KSUIDs', '0ujtsYcgvSTl8PAuAdqWYSMnLOv\n0ujzPyRiIAffKhBux4PvQdDqMHY'],
    ['random UUIDs', '919108f7-52d1-4320-9bac-f847db4148a8\n5df41881-3aed-4515-88a7-2f4a814cf09e'],
  ])('has the table alone where the source is nothing but %s', (_, text) => {
    expect(exported(text, { layout: undefined }).header).toEqual(['line', 'id', 'date', 'timestamp', 'problem']);
  });

  it('has the lines of a text', () => {
    const { header, rows } = exported(`saved ${A}, then\t${B}\n\nstopped`);
    expect(header).toEqual(['text', ...DECODED.slice(0, 3), 'apart', ...DECODED.slice(3)]);
    expect(rows).toMatchObject([
      { text: `saved ${A}, then\t${B}`, line: '1:7', id: A },
      { text: `saved ${A}, then\t${B}`, line: '1:32', id: B },
      { text: 'stopped', line: '3:1', id: 'stopped', problem: 'no id found in this line' },
    ]);
  });

  it('has no formulas, and leaves numbers as they are', () => {
    const cells = ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '-12.5', '+3e5', 'a=b', "'", '-'];
    const { rows } = exported(['x,id', ...cells.map((cell) => `"${cell}",${A}`), `=2,=HYPERLINK("a")`].join('\n'));
    expect(rows.map(({ x }) => x)).toEqual([
      ...["'=1+1", "'+cmd", "'-2+3", "'@SUM(A1)", "'\t=1", '-12.5', '+3e5', 'a=b', "'", "'-", "'=2"],
    ]);
    expect(rows.at(-1)?.id).toMatch(/^'=HYPERLINK/);
    expect(exported(`=x,id\n1,${A}`).header[0]).toBe("'=x");
    const early = exported(`id\n${A}`, { layout: { spec: 'timestamp:41,rest:22', epoch: -1e14 } });
    expect(early.rows[0]).toMatchObject({ date: expect.stringMatching(/^-/), timestamp: expect.stringMatching(/^-/) });
  });

  it('keeps long numbers in Excel, if it is made for it', () => {
    const source = `user,order,sum\n"a,b",${A},12.5\n007,oops,-3`;
    const [first = '', ...rest] = inspect(source).export('excel').pieces;
    expect(first.startsWith('\ufeffuser,order,sum,line,id,')).toBe(true);
    const [ada = '', other = ''] = rest.join('').split('\r\n');
    expect(ada.startsWith(`"a,b","=""${A}""",12.5,2,"=""${A}""",2024-03-01T10:30:15.500Z,`)).toBe(true);
    expect(other.startsWith('007,oops,-3,3,oops,')).toBe(true);
    const hex = [...inspect(`${A}`, { as: 'hex' }).export('excel').pieces].join('');
    expect(hex).toContain('"=""0223bbf03300507b"""');
  });

  it('quotes the names of files', () => {
    const data = new TextEncoder().encode(A);
    const files = ['a,b.txt', '=c.txt'].map((name) => ({ name, bytes: data.length, data }));
    const inspection = new Inspection(files, Date.UTC(2026, 0));
    inspection.view(DEFAULTS);
    const lines = Papa.parse<string[]>([...inspection.export().pieces].join('').trimEnd()).data.map(([line]) => line);
    expect(lines).toEqual(['line', 'a,b.txt:1', "'=c.txt:1"]);
  });

  it('is made a piece at a time', () => {
    const { count, pieces } = inspect(Array.from({ length: 25_000 }, (_, i) => i).join('\n')).export();
    expect(count).toBe(4);
    expect([...pieces]).toHaveLength(4);
  });

  it('is refused while the filter has an error', () => {
    expect(() => inspect(`${A}\n${B}`, { filter: 'shad=5' }).export()).toThrow(
      'nothing is exported: there is no column',
    );
  });

  it('in JSON has an object for each row, with ids as strings and without what a row does not have', () => {
    const json = (text: string, settings?: Partial<Settings>) =>
      JSON.parse([...inspect(text, settings).export('json').pieces].join(''));
    expect(json(`user,id,n\n"a ""b""",${A},007\nbob,oops,`)).toEqual([
      {
        user: 'a "b"',
        id: A,
        n: '007',
        line: 2,
        id_2: A,
        date: '2024-03-01T10:30:15.500Z',
        timestamp: 1709289015500,
        shard: 5,
        sequence: 123,
      },
      { user: 'bob', id: 'oops', line: 3, id_2: 'oops', problem: 'no id found' },
    ]);
    expect(json(`${A}\n${B}`, { filter: 'shard=9999' })).toEqual([]);
    const wide = json('18446744073709551615', { layout: { spec: 'a:10,b:54' } });
    expect(wide).toMatchObject([{ id: '18446744073709551615', a: 1023, b: '18014398509481983' }]);
  });

  it('in JSON is one array, of however many rows', () => {
    const text = Array.from({ length: 12_000 }, (_, i) => BigInt(A) + BigInt(i)).join('\n');
    const { count, pieces } = inspect(text).export('json');
    const all = [...pieces];
    expect(all).toHaveLength(count);
    expect(JSON.parse(all.join(''))).toHaveLength(12_000);
  });
});
