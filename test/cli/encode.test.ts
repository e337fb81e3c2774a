import { describe, expect, it } from 'vitest';
import { type Layout, layouts, parseLayout } from '../../src/index.js';
import { numberTimeMask } from '../support/number-times.js';
import { randomU64s } from '../support/random.js';
import { runHere } from '../support/run-here.js';
import { scaled } from '../support/scale.js';

const FORMATS = ['tsv', 'csv', 'json'] as const;
/** Times in small numbers. */
const snowflake = ['encode', '--layout', 'snowflake', '--raw'];

async function encoded(args: string[], input: (string | Uint8Array)[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(['encode', ...args], { input });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

describe("encode takes decode's rows back to the ids", () => {
  // Whose times numbers can be, all or not at all: the raw ones are written by the field's units.
  const specs = [...Object.keys(layouts), 'a:64', 'timestamp:52,a:12'].flatMap((spec) => [[spec], [spec, '--raw']]);
  const raw = ['timestamp:64', 'z:10,timestamp:54'].map((spec) => [spec, '--raw']);
  const cases = [...specs, ...raw].flatMap(([spec = '', ...more]) =>
    FORMATS.map((format) => [spec, format, more] as const),
  );

  it.each(cases)('%s, %s %j', async (spec, format, more) => {
    const layout: Layout = parseLayout(spec);
    const least = layout.places.reduce((id, { min, shift }) => id | (BigInt(min) << BigInt(shift)), 0n);
    const mask = more.length > 0 ? layout.mask : numberTimeMask(layout);
    const ids = [least, mask, ...randomU64s(scaled(2000, 20))].map((id) => (id & mask) | least);
    const text = `${ids.join('\n')}\n`;
    const args = ['--layout', spec, '--format', format, ...more];
    const rows = await runHere(['decode', ...args], { input: [text] });
    expect(rows.stderr).toBe('');
    expect(await encoded(args, [rows.stdout])).toBe(text);
  });
});

describe('encode reads rows', () => {
  const rows = [
    { timestamp: '1709289015500', shard: '5', sequence: '123' },
    { timestamp: '1672531200000', shard: '007', sequence: '0' },
  ];
  const ids = '154173452582932603\n28672\n';

  it('with columns in any order, in quotes or not, with CRLF, a byte order mark and empty lines at the end', async () => {
    for (const text of [
      'sequence,date,timestamp,id,shard\n123,,1709289015500,"x\n,",5\n0,"",1672531200000,,007\n',
      '\ufeff"timestamp","shard","sequence"\r\n"1709289015500","5","123"\r\n1672531200000,"007",0\r\n\r\n\n',
      'timestamp,shard,sequence\n1709289015500,5,123\n1672531200000,7,0',
    ]) {
      expect(await encoded(['--layout', 'snowflake', '--format', 'csv'], [text])).toBe(ids);
      const bytes = Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));
      expect(await encoded(['--layout', 'snowflake'], [text.replaceAll(',', '\t')])).toBe(ids);
      expect(await encoded(['--layout', 'snowflake', '--format', 'csv'], bytes)).toBe(ids);
    }
  });

  it('with times as PostgreSQL, Python and pandas write them, of which a unit covers what is left out', async () => {
    const times = [
      '2024-03-01 10:30:15.500123',
      '2024-03-01 10:30:15.500123+00',
      '2024-03-01 16:00:15.500123456+05:30',
      '2024-03-01T10:30:15.500999999Z',
    ];
    const ids = await encoded(
      ['--layout', 'snowflake', '--format', 'csv'],
      [`timestamp,shard,sequence\n${times.map((time) => `${time},5,123\n`).join('')}`],
    );
    expect(ids).toBe('154173452582932603\n'.repeat(4));
    const us = await encoded(
      ['--layout', 'atproto'],
      [`timestamp\tclock\n${times.map((time) => `${time}\t1\n`).join('')}0.001\t1\n`],
    );
    const since = ['1709289015500123', '1709289015500123', '1709289015500123', '1709289015500999', '1'];
    expect(us).toBe(since.map((units) => `${1024n * BigInt(units) + 1n}\n`).join(''));
  });

  it('of JSON with numbers or strings, CRLF, a byte order mark and empty lines at the end', async () => {
    const texts = rows.map((row) => JSON.stringify({ ...row, shard: Number(row.shard), id: 1, date: 'a: "b"' }));
    const bytes = Array.from(Buffer.from(`\ufeff${texts.join('\r\n')}\r\n\n`), (byte) => Uint8Array.of(byte));
    expect(await encoded(['--layout', 'snowflake', '--format', 'json'], bytes)).toBe(ids);
  });

  it('with dates, as field=value has them, and numbers in between', async () => {
    const text = 'timestamp,shard,sequence\n2024-03-01T11:30:15.5+01:00,5,123\n1709289015500,5,123\n2023-01-01,7,0\n';
    expect(await encoded(['--layout', 'snowflake', '--format', 'csv'], [text])).toBe(`154173452582932603\n${ids}`);
    const units = 'timestamp,worker,sequence\n2016-05-19T16:00:01.999Z,0,0\n';
    expect(await encoded(['--layout', 'uidGenerator', '--format', 'csv'], [units])).toBe(`${1n << 35n}\n`);
    const wide = 'timestamp\n18446744073709551615\n1970-01-02\n9007199254740993\n';
    expect(await encoded(['--layout', 'timestamp:64', '--raw'], [wide])).toBe(
      '18446744073709551615\n86400000\n9007199254740993\n',
    );
  });

  it('of a layout that has a field called id', async () => {
    expect(await encoded(['--layout', 'id:8,b:8', '--format', 'csv'], ['id,b\n1,2\n'])).toBe('258\n');
  });

  it('also if there are none below the header', async () => {
    expect(await encoded(['--layout', 'a:1'], ['a\n'])).toBe('');
    expect(await encoded(['--layout', 'a:1', '--format', 'json'], [])).toBe('');
  });

  it('by the ten thousand, with a wrong one among them found', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `${i}\t${i % 1024}\t${i % 4096}`);
    const expected = many.map((_, i) =>
      layouts.snowflake.pack({ timestamp: BigInt(i), shard: i % 1024, sequence: i % 4096 }),
    );
    const text = `timestamp\tshard\tsequence\n${many.join('\n')}\n`;
    expect(await encoded(['--layout', 'snowflake', '--raw'], [text])).toBe(`${expected.join('\n')}\n`);
    const run = await runHere(snowflake, { input: [text.replace('\n18000\t', '\n18000 \t')] });
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: -:18002: timestamp: expected a whole number or a date .*, got "18000 "\n$/,
      ),
    });
    expect(run.stdout.toString()).toBe(`${expected.slice(0, 18_000).join('\n')}\n`);
  });
});

describe('encode refuses what is not a row or does not fit, with its line', () => {
  /** The same wherever the input is cut. */
  async function expectProblem(format: string, lines: string[], problem: string): Promise<void> {
    const text = lines.join('\n');
    for (const input of [[text], [`${text}\n`], Array.from(text)]) {
      const { code, stderr } = await runHere([...snowflake, '--format', format], { input });
      expect([code, stderr]).toEqual([1, `error: ${problem}\n`]);
    }
  }
  const header = 'timestamp,shard,sequence';

  it.each<[lines: string[], problem: string]>([
    [[header, '1,2,3', '1,1024,3'], '-:3: shard: expected an integer from 0 to 1023, got 1024'],
    [[header, '1,2,3', '1,,3'], '-:3: shard: expected a whole number, got ""'],
    [[header, '1,-2,3'], '-:2: shard: expected a whole number, got "-2"'],
    [[header, '1, 2,3'], '-:2: shard: expected a whole number, got " 2"'],
    [[header, '1,2n,3'], '-:2: shard: expected a whole number, got "2n"'],
    [[header, '1,18446744073709551618,3'], '-:2: shard: expected an integer from 0 to 1023, got 18446744073709551618'],
    [
      [header, '2022-12-31,2,3'],
      '-:2: timestamp: expected a date from 2023-01-01T00:00:00.000Z to 2092-09-06T15:47:35.551Z, got 2022-12-31T00:00:00.000Z',
    ],
    [[header, '1,2,3', '1,2'], '-:3: expected 3 fields, got "1,2"'],
    [[header, '1,2,3,4'], '-:2: expected 3 fields, got "1,2,3,4"'],
    [[header, '1,2,"3', '1,2,3'], '-:2: expected a closing quote, got "1,2,\\"3"'],
    [
      [header, '1,2,"3"4', '1,2,3'],
      '-:2: expected a delimiter or the end of the record after a closing quote, got "1,2,\\"3\\"4"',
    ],
    [
      [`${header},date`, '1,2,3,"a', 'b"', '1,2,3,b"'],
      '-:4: expected quotes around a field that has a quote in it, got "1,2,3,b\\""',
    ],
    // The first one wrong is told, whatever is wrong with later ones.
    [[header, '1,5000,3', '1,2'], '-:2: shard: expected an integer from 0 to 1023, got 5000'],
    [['timestamp,shrd,sequence'], '-:1: expected one of timestamp, shard, sequence, got "shrd" (Did you mean shard?)'],
    [['', 'timestamp,id'], '-:2: expected a column named shard, got "timestamp,id"'],
    [[`${header},shard`], `-:1: expected one column named shard, got "${header},shard"`],
    [['"timestamp,shard'], '-:1: expected a closing quote, got "\\"timestamp,shard"'],
    [[], '-:1: expected a header with timestamp, shard, sequence, got nothing'],
  ])('csv: %j', (lines, problem) => expectProblem('csv', lines, problem));

  const json = (values: string) => `{"timestamp":1,"shard":2,"sequence":${values}}`;

  it.each<[lines: string[], problem: string]>([
    [
      [json('3'), json('9007199254740993')],
      '-:2: sequence: expected digits in quotes or an integer up to 2^53 - 1, got 9007199254740992',
    ],
    [[json('2.5')], '-:1: sequence: expected digits in quotes or an integer up to 2^53 - 1, got 2.5'],
    [[json('null')], '-:1: sequence: expected digits in quotes or an integer up to 2^53 - 1, got null'],
    [[json('-1')], '-:1: sequence: expected a whole number, got "-1"'],
    [[json('3'), json('4096')], '-:2: sequence: expected an integer from 0 to 4095, got 4096'],
    [
      [json('3,"sequence":4')],
      '-:1: expected every name once, got "{\\"timestamp\\":1,\\"shard\\":2,\\"sequence\\":3,\\"sequence\\":4}"',
    ],
    [
      [json('3,"sequenc":4')],
      '-:1: expected one of timestamp, shard, sequence, got "sequenc" (Did you mean sequence?)',
    ],
    [[json('3'), '{"timestamp":1,"shard":2}'], '-:2: sequence: expected a value, got none'],
    [['[1]'], '-:1: expected a JSON object, got "[1]"'],
    [['null'], '-:1: expected a JSON object, got "null"'],
    [
      ['{"timestamp":1'],
      '-:1: expected JSON, got "{\\"timestamp\\":1"; of objects over several lines, jq -c . FILE | shardbits … makes lines',
    ],
  ])('json: %j', (lines, problem) => expectProblem('json', lines, problem));

  it.each([
    '2024-02-30',
    '2023-02-29',
    '2023-02-29T10:00:00Z',
    '2024-04-31',
    '2024-13-01',
    '2024-03-01T24:00:00Z',
  ])('the date %s, which does not exist', async (date) => {
    const problem = `expected a whole number or a date that exists, such as 2024-03-01T10:30:15.500Z, got "${date}"\n`;
    const pair = await runHere(['encode', '--layout', 'mastodon', `timestamp=${date}`, 'tail=0']);
    expect(pair).toMatchObject({ code: 2, stderr: `error: timestamp: ${problem}` });
    for (const [format, input] of [
      ['csv', `timestamp,tail\n${date},0\n`],
      ['json', `{"timestamp":"${date}","tail":0}\n`],
    ] as const) {
      const line = format === 'csv' ? 2 : 1;
      const rows = await runHere(['encode', '--layout', 'mastodon', '--format', format], { input: [input] });
      expect(rows).toMatchObject({ code: 1, stderr: `error: -:${line}: timestamp: ${problem}` });
    }
    const since = await runHere(['decode', '1', '--layout', 'mastodon', '--epoch', date]);
    expect(since).toMatchObject({ code: 2, stderr: expect.stringContaining('--epoch: expected a date that exists') });
  });

  it('--format for values that are given as arguments', async () => {
    const run = await runHere(['encode', '--layout', 'a:1', 'a=1', '--format', 'csv']);
    expect(run).toMatchObject({ code: 2, stderr: 'error: --format cannot be combined with field=value\n' });
  });
});

// That of util-linux, which makes a terminal.
