import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIds, setBackend } from '../../src/index.js';
import { cellText } from '../../src/inspector/read/cells.js';
import { parseCells } from '../../src/inspector/read/id-column.js';
import { Problem } from '../../src/inspector/read/problems.js';
import { guessShape, readShape } from '../../src/inspector/read/shape.js';
import { onBothBackends } from '../support/backends.js';
import { scaled } from '../support/scale.js';

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What the page makes of a text: its shape, the column, and the text of every row. */
function read(text: string, column?: number) {
  const data = bytes(text);
  const { shape, column: guessed } = guessShape(data);
  const { cells, blankLines } = readShape(data, shape, column ?? guessed);
  return {
    kind: shape.kind,
    columns: shape.choices.map(({ name }) => name),
    column: guessed,
    rows: Array.from(cells.starts, (_, row) => cellText(cells, row)),
    lines: [...cells.lines],
    problems: [...cells.problems],
    blankLines,
    cells,
  };
}

const A = '154173452582932603';
const B = '286435872092454913';

describe('the shape of what is pasted', () => {
  it.each<[string, string, string, string[], number[]]>([
    ['an id', A, 'lines', [A], [1]],
    ['ids a line', `${A}\n${B}\n`, 'lines', [A, B], [1, 2]],
    ['lines of Windows, with blanks', `  ${A}\r\n\r\n\t${B}\r\n`, 'lines', [A, B], [1, 3]],
    ['a list in a line', `${A}, ${B} ${A}`, 'list', [A, B, A], [1, 1, 1]],
    ['a list over lines', `${A} ${B}\n${A}\n`, 'list', [A, B, A], [1, 1, 2]],
    ['a list of SQL, quoted', `'${A}',\n'${B}'`, 'lines', [A, B], [1, 2]],
    ['a column with its name', `order_id\n${A}\n${B}`, 'csv', [A, B], [2, 3]],
    ['a CSV', `name,id\nada,${A}\nbob,${B}`, 'csv', [A, B], [2, 3]],
    ['tabs', `${A}\tada\n${B}\tbob`, 'csv', [A, B], [1, 2]],
    ['semicolons', `name;id\nada;${A}\nbob;${B}`, 'csv', [A, B], [2, 3]],
    ['quoted cells', `name,id\n"a, ""b""",${A}\n"two\nlines","${B}"`, 'csv', [A, B], [2, 3]],
    ['a JSON array of numbers', `[${A}, ${B}]`, 'json', [A, B], [1, 1]],
    ['a JSON array of strings', `["${A}",\n"${B}"]`, 'json', [A, B], [1, 2]],
    ['JSON objects', `[{"n":1,"id":${A}},\n{"id":"${B}"}]`, 'json', [A, B], [1, 2]],
    ['JSON lines', `{"user":{"id":${A}}}\n{"user":{"id":${B}}}\n`, 'json', [A, B], [1, 2]],
    ['JSON in an object', `{"next":null,"data":[{"id":${A}},{"id":${B}}]}`, 'json', [A, B], [1, 1]],
    ['one JSON object', `{"id":${A}}`, 'json', [A], [1]],
  ])('%s', (_, text, kind, rows, lines) => {
    expect(read(text)).toMatchObject({ kind, rows, lines });
  });

  it('finds the column by its name and by its cells', () => {
    expect(read(`id,user_id\n1,${A}\n2,${B}`)).toMatchObject({ column: 1 });
    expect(read(`at,request,status\n1700000000000,${A},200\n1700000000001,${B},404`)).toMatchObject({ column: 1 });
    expect(read('parent_id,id\n154173452582932603,286435872092454913')).toMatchObject({ column: 1 });
    expect(read(`[{"a":{"id":"${A}"},"id":"${B}"}]`)).toMatchObject({ columns: ['a.id', 'id', 'all ids'], column: 1 });
  });

  it('finds values of JSON at any depth', () => {
    const deep = `{"next":"x","data":{"items":[{"n":1,"message_id":"${A}"},\n{"message_id":${B}},{"n":2}]}}`;
    expect(read(deep)).toMatchObject({
      columns: ['next', 'data.items[].n', 'data.items[].message_id'],
      column: 2,
      rows: [A, B, '{"n":2}'],
      lines: [1, 2, 2],
      problems: [Problem.none, Problem.none, Problem.missing],
    });
    const keys = read(`[{"a.b":{"id":${A}},"a":{"b":{"n":5}}},{"a.b":{"id":${B}}}]`);
    expect(keys).toMatchObject({ columns: ['["a.b"].id', 'a.b.n'], column: 0 });
    expect(keys.rows).toEqual([A, B]);
    expect(read(`[[${A},${B}],[],[${A}]]`)).toMatchObject({ kind: 'json', column: 0, rows: [A, B, '[]', A] });
    const rows = { kind: 'json', column: 1, rows: [A, B] };
    expect(read(`[["${A}","ada"],["${B}","bob"]]`)).toMatchObject({ ...rows, columns: ['[]', '[0]'] });
    expect(read(`["${A}","ada"]\n["${B}","bob"]`)).toMatchObject({ ...rows, columns: ['', '[0]'], lines: [1, 2] });
    const lists = read(`{"user":1,"ids":["${A}"]}\n{"user":2,"ids":["${B}","${A}"]}`);
    expect(lists).toMatchObject({ columns: ['user', 'ids[]'], rows: [A, B, A], lines: [1, 2, 2] });
  });

  it('finds the delimiter beside decimal commas', () => {
    const rows = { kind: 'csv', column: 1, rows: [A, B] };
    expect(read(`total;id\n12,50;${A}\n7,00;${B}`)).toMatchObject({ ...rows, columns: ['total', 'id'] });
    expect(read(`12,50;${A}\n7,00;${B}`)).toMatchObject(rows);
    expect(read(`"12,50"\t${A}\n"7,00"\t${B}`)).toMatchObject(rows);
  });

  it.each([
    'id',
    'ids',
    'tid',
    'rkey',
    'key',
    'post',
    'ID',
    '"id"',
  ])('takes %s in the first line for a name', (name) => {
    for (const id of [A, '12', '3l4omssdl632g', '3jt6waxwmzs2y']) {
      expect(read(`${name}\n${id}`)).toMatchObject({ kind: 'csv', rows: [id], lines: [2] });
      expect(read(`${name},n\n${id},5`).rows).toEqual([id]);
    }
  });

  it('tells two columns of one name apart', () => {
    const text = `id,id,name\n1,${A},ada\n2,${B},bob`;
    expect(read(text)).toMatchObject({ columns: ['id', 'id_2', 'name'], column: 1, rows: [A, B] });
    expect(read(text, 0).rows).toEqual(['1', '2']);
  });

  it('takes off what spreadsheets and databases put around ids', () => {
    expect(read(`name,id\nada,"=""${A}"""\nbob,'${B}`).rows).toEqual([A, B]);
    expect(read(` id | name\n----+-----\n ${A} | ada\n ${B} | bob\n`).rows.slice(1)).toEqual([A, B]);
  });

  it('keeps rows without the column, with the reason', () => {
    const { problems, lines } = read(`name,id\nada\nbob,${B}\ncid,\ndan,${A}`, 1);
    expect(problems).toEqual([Problem.missing, Problem.none, Problem.empty, Problem.none]);
    expect(lines).toEqual([2, 3, 4, 5]);
    const json = read(`[{"id":${A}},{"no":1},{"id":[1]},{"id":{}},7]`);
    expect(json.problems).toEqual([
      Problem.none,
      ...[Problem.missing, Problem.notScalar, Problem.notScalar, Problem.missing],
    ]);
  });

  it('says where JSON breaks, and goes on with the next line', () => {
    const { problems, lines, rows } = read(`{"id":${A}}\n{"id":\n{"id":${B}}`);
    expect(problems).toEqual([Problem.none, Problem.brokenJson, Problem.none]);
    expect(lines).toEqual([1, 2, 3]);
    expect(rows[2]).toBe(B);
    expect(read(`[${A},\n${B}`).problems).toEqual([Problem.none, Problem.none, Problem.brokenJson]);
  });

  it('never fails, whatever is pasted', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:;\n\t 17aZ\\é') }), (text) => {
        const { cells } = read(text);
        parseCells(cells, 'guess');
      }),
      { numRuns: scaled(2000) },
    );
  });
});

onBothBackends('ids of rows', () => {
  const parse = (text: string, format: Parameters<typeof parseCells>[1] = 'guess') =>
    parseCells(read(text).cells, format);

  it.each(['dec', 'hex', 'base62', 'crockford32'] as const)('are guessed to be in %s, and read', (format) => {
    const ids = BigUint64Array.of(154173452582932603n, 286435872092454913n, 2n ** 64n - 1n, 1541815603606036480n);
    expect(parse(formatIds(ids, format).join('\n'))).toMatchObject({ format, ids, bad: 0 });
  });

  it('are guessed from all rows', () => {
    expect(parse('1234567890123456\n12345678901234ab').format).toBe('hex');
    expect(parse('12345678901\n12345678902').format).toBe('dec');
    expect(parse('0xff\n0x1').ids).toEqual(BigUint64Array.of(255n, 1n));
  });

  it('are 0 where there is none, with the reason', () => {
    const { ids, problems, bad } = parse(
      '7\nseven\n18446744073709551615\n18446744073709551616\n-1\n000000000000000000000008',
    );
    expect(ids).toEqual(BigUint64Array.of(7n, 0n, 2n ** 64n - 1n, 0n, 0n, 8n));
    expect([...problems]).toEqual([
      ...[Problem.none, Problem.notInFormat, Problem.none, Problem.tooLarge, Problem.negative, Problem.none],
    ]);
    expect(bad).toBe(3);
    expect([...parse('LygHa16AHYF\nLygHa16AHYG', 'base62').problems]).toEqual([Problem.none, Problem.tooLarge]);
    expect([...parse('0ILoil0000000\nG000000000000\nFZZZZZZZZZZZZ', 'crockford32').problems]).toEqual([
      ...[Problem.none, Problem.tooLarge, Problem.none],
    ]);
    expect([...parse('1ffffffffffffffff', 'hex').problems]).toEqual([Problem.tooLarge]);
  });
});

describe('what is not an id', () => {
  const good = (text: string, format: Parameters<typeof parseCells>[1] = 'guess') => {
    const { ids, bad } = parseCells(read(text).cells, format);
    return ids.length - bad;
  };

  it.each([
    ['null, true and false', '[null,true,false]'],
    ['a word of 11 letters', 'engineering'],
    ['words of 11 letters', 'engineering\nInformation\ncombination'],
    ['words of 13 letters', 'international\nCommunication'],
    ['short words', 'cafe\nadded\ne2e\nhello'],
    ['names with digits', 'iPhone15Pro\nhello\nworld'],
    ['prose', 'The quick brown fox\njumps over 13 lazy dogs'],
    ['a column of words', 'name,town\nada,Springfield\nbob,Springfield'],
  ])('%s', (_, text) => {
    expect(good(text)).toBe(0);
  });

  it('may be one when the reader says what it is', () => {
    expect(good('Information', 'base62')).toBe(1);
  });

  it('is a number that was rounded, which is said', () => {
    const { problems, ids } = parseCells(
      read('[1541815603606036480,1.541815603606036e+18,1541815603606036500.0,1.5]').cells,
      'guess',
    );
    expect([...problems]).toEqual([
      ...[Problem.none, Problem.precisionLost, Problem.precisionLost, Problem.notInFormat],
    ]);
    expect(ids[0]).toBe(1541815603606036480n);
    const spreadsheet = (text: string) => [...parseCells(read(text).cells, 'guess').problems];
    expect(spreadsheet('name;id\nada;1,37E+18\nbob;1,54E+18')).toEqual([Problem.precisionLost, Problem.precisionLost]);
    expect(spreadsheet('id\n1.37E+18\n1,54E+18')).toEqual([Problem.precisionLost, Problem.precisionLost]);
    expect(spreadsheet('id\n1,37E+18\n1,54E+18')).toEqual([Problem.precisionLost, Problem.precisionLost]);
  });
});

onBothBackends('ids as programs write them', () => {
  const parse = (text: string) => parseCells(read(text).cells, 'guess');

  it('are below 0 where 64 bits are signed', () => {
    const ids = BigUint64Array.of(2n ** 63n, 2n ** 64n - 10n ** 15n, 154173452582932603n, 13835058055282163712n);
    const signed = Array.from(ids, (id) => BigInt.asIntN(64, id));
    expect(parse(signed.join('\n'))).toMatchObject({ format: 'dec', ids, bad: 0 });
    expect(parse(`[${signed}]`)).toMatchObject({ ids, bad: 0 });
    expect(parse(`name,id\n${signed.map((id) => `ada,${id}`).join('\n')}`)).toMatchObject({ ids, bad: 0 });
    expect([...parse('-9223372036854775809').problems]).toEqual([Problem.tooLarge]);
  });

  it('are not small numbers below 0, such as differences and groups of Telegram', () => {
    const numbers = ['-1', '-1001234567890', '-999999999999999'];
    expect([...parse([A, ...numbers].join('\n')).problems]).toEqual([0, ...numbers.map(() => Problem.negative)]);
    expect([...parse(`name,id\nada,${A}\nbob,-1`).problems]).toEqual([Problem.none, Problem.negative]);
    expect([...parse(`[${A},-1]`).problems]).toEqual([Problem.none, Problem.negative]);
  });

  it('have an n, separators or 0x', () => {
    expect(parse(`${A}n\n1_541_815_603_606_036_480\n${B}\n0xff\n${B}n`)).toMatchObject({
      format: 'dec',
      ids: BigUint64Array.of(BigInt(A), 1541815603606036480n, BigInt(B), 255n, BigInt(B)),
      bad: 0,
    });
    expect(parse('1_54_18\n7').bad).toBe(1);
  });

  it.each([',', '.', "'", ' '])('have %j between thousands', (between) => {
    const [small, large] = ['1,306,705,919', '1,541,815,603,606,036,480'].map((id) => id.replaceAll(',', between));
    const ids = BigUint64Array.of(1306705919n, 1541815603606036480n);
    expect(parse(small)).toMatchObject({ format: 'dec', ids: ids.subarray(0, 1), bad: 0 });
    expect(parse(`${small}\n${large}\n`)).toMatchObject({ ids, bad: 0 });
    expect(parse(`id\n"${small}"\n"${large}"`)).toMatchObject({ ids, bad: 0 });
    expect(parse(`name,id\nada,"${small}"\nbob,"${large}"`)).toMatchObject({ ids, bad: 0 });
    expect(parse(`["${small}","${large}"]`)).toMatchObject({ ids, bad: 0 });
    expect(parse(`-${large}`)).toMatchObject({ ids: BigUint64Array.of(-ids[1]), bad: 0 });
    expect([...parse(`-${small}`).problems]).toEqual([Problem.negative]);
  });

  it.each([
    '1,2,3',
    '123,456',
    '1,306,705,919, 1,306,705,920',
    '100 200 300 400',
    '12 345 678',
    '1,306,70',
    '5 300',
  ])('are a list: %s', (text) => {
    expect([...parse(text).ids].map(String)).toEqual(text.split(/[, ]+/));
  });

  it('are not addresses and versions', () => {
    for (const text of ['192.168.100.200', '1.2.3']) expect(parse(text).bad).toBe(1);
  });

  it('are cells under a header, also if all have three digits', () => {
    expect(read('a,b,c\n100,200,300\n101,201,301')).toMatchObject({ kind: 'csv', columns: ['a', 'b', 'c'] });
  });

  it('fall back to no other format', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), { minLength: 1 }), (ids) => {
        const isSmall = (id: bigint) => id < 0n && id > -(10n ** 15n);
        expect([...parse(ids.join('\n')).ids]).toEqual(ids.map((id) => (isSmall(id) ? 0n : BigInt.asUintN(64, id))));
      }),
    );
  });
});

describe('ids of many rows', () => {
  it('are the same on both backends', () => {
    const text = Array.from({ length: scaled(50_000) }, (_, i) => (i % 7 === 0 ? 'bad' : String(BigInt(i) ** 4n))).join(
      '\n',
    );
    const both = (['wasm', 'bigint'] as const).map((backend) => {
      setBackend(backend);
      return parseCells(read(text).cells, 'guess').ids;
    });
    setBackend('auto');
    expect(both[0]).toEqual(both[1]);
  });
});
