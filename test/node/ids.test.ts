import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Layout, layouts, parseLayout } from '../../src/index.js';
import {
  type DecodeFileOptions,
  decodeFile,
  type EncodeFileOptions,
  encodeFile,
  type GuessedIds,
  type Input,
  type Progress,
  type RejectedLine,
} from '../../src/node/index.js';
import { DISCORD } from '../cli/guessed-ids.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { file, sink } from './rows-of-tables.js';

const { snowflake } = layouts;
/** Of the time in which numbers hold microseconds, too. */
const IDS = Array.from(randomU64s(1000), (id, i) => (id & snowflake.mask) >> BigInt(i % 20));
const lines = `${IDS.join('\n')}\n`;
const iso = (ms: number | bigint) => new Date(Number(ms)).toISOString();

type Given<O> = Omit<O, 'out'>;

/** The outcome for a text: the same from a file, from a stream in pieces, and for several threads. */
async function outcome<O extends { threads?: number | 'auto' | undefined }, R>(
  run: (input: Input, options: O & { out: ReturnType<typeof sink>['out'] }) => Promise<R>,
  text: string,
  options: O,
): Promise<{ written: string; result: R }> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 999) }, (_, i) =>
    bytes.subarray(999 * i, 999 * (i + 1)),
  );
  const seen: { written: string; result: R }[] = [];
  for (const input of [file(text), Readable.from(pieces)]) {
    for (const threads of [1, 3]) {
      const { out, text: written } = sink();
      const given = typeof input === 'string' ? input : Readable.from(pieces);
      const result = await run(given, { ...options, threads, out });
      seen.push({ written: written(), result });
    }
  }
  for (const one of seen) expect(one).toEqual(seen[0]);
  return seen[0] as (typeof seen)[number];
}

const decoded = (text: string, options: Given<DecodeFileOptions>) => outcome(decodeFile, text, options);
const encoded = (text: string, options: Given<EncodeFileOptions>) => outcome(encodeFile, text, options);

onBothBackends('decodeFile', () => {
  it('writes a row of fields for each id', async () => {
    const rows = IDS.map((id) => {
      const { timestamp, shard, sequence } = snowflake.unpack(id);
      return [id, timestamp, shard, sequence, iso(timestamp)];
    });
    const table = (separator: string) =>
      [['id', 'timestamp', 'shard', 'sequence', 'date'], ...rows].map((row) => `${row.join(separator)}\n`).join('');
    const { written, result } = await decoded(lines, { layout: snowflake });
    expect(written).toBe(table('\t'));
    expect(result).toEqual({ keys: IDS.length, bytes: lines.length });
    expect((await decoded(lines, { layout: snowflake, format: 'csv' })).written).toBe(table(','));
    const json = await decoded(lines, { layout: snowflake, format: 'json' });
    expect(json.written).toBe(
      rows
        .map(([id, timestamp, shard, sequence, date]) => {
          return `${JSON.stringify({ id: String(id), timestamp, shard, sequence, date })}\n`;
        })
        .join(''),
    );
    const raw = await decoded('1\n', { layout: snowflake, raw: true });
    expect(raw.written).toBe(
      `id\ttimestamp\tshard\tsequence\tdate\n1\t0\t0\t1\t${iso(snowflake.time?.epoch as number)}\n`,
    );
    expect((await decoded('', { layout: snowflake, format: 'csv' })).written).toBe(
      'id,timestamp,shard,sequence,date\n',
    );
    expect((await decoded('', { layout: snowflake, format: 'json' })).written).toBe('');
  });

  it('adds the fields to records, with a prefix', async () => {
    const ids = IDS.slice(0, 100);
    const layout: Layout = parseLayout('worker:40,counter:23');
    const parts = (id: bigint) => [id >> 23n, id & 0x7fffffn];
    const csv = `name,id\n${ids.map((id, i) => `"a, ${i}",${id}\n`).join('')}`;
    const records = { format: 'csv', key: 'id' } as const;
    expect((await decoded(csv, { layout, records })).written).toBe(
      `name,id,worker,counter\n${ids.map((id, i) => `"a, ${i}",${id},${parts(id).join()}\n`).join('')}`,
    );
    expect((await decoded(csv, { layout, records, prefix: 'of,' })).written.split('\n')[0]).toBe(
      'name,id,"of,worker","of,counter"',
    );
    const json = ids.map((id) => `{"of":{"id":"${id}"}}\n`).join('');
    const options = { layout, records: { format: 'ndjson', key: 'of.id' }, prefix: 'id_' } as const;
    expect((await decoded(json, options)).written).toBe(
      ids.map((id) => `{"of":{"id":"${id}"},"id_worker":${parts(id)[0]},"id_counter":${parts(id)[1]}}\n`).join(''),
    );
  });

  it('reads other formats, and wider ids', async () => {
    const hex = IDS.map((id) => id.toString(16).padStart(16, '0')).join('\n');
    const { written } = await decoded(hex, { layout: parseLayout('all:64'), text: 'hex' });
    expect(written).toBe(`id\tall\n${IDS.map((id) => `${id}\t${id}\n`).join('')}`);
    const uuid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    const row = `id\ttimestamp\tdate\n${uuid}\t1645557742000\t2022-02-22T19:22:22.000Z\n`;
    expect(await decoded(uuid, { text: 'uuid' })).toEqual({ written: row, result: { keys: 1, bytes: 36 } });
    expect(await decoded(uuid, {})).toEqual({ written: row, result: { keys: 1, bytes: 36, guess: 'uuid' } });
  });
});

describe('decodeFile guesses a layout', () => {
  /** What is told of a guess before anything is written, and the result. */
  async function guessed(text: string, options: Given<DecodeFileOptions> = {}) {
    const guesses: GuessedIds[] = [];
    const onGuess = (guess: GuessedIds) => void guesses.push(guess);
    const { result, written } = await decoded(text, { ...options, onGuess });
    for (const one of guesses) expect(one).toEqual(guesses[0]);
    return { ...guesses[0], guess: result.guess, written };
  }

  it('and says which one it is, and which others are possible', async () => {
    const text = DISCORD.join('\n');
    const { written, ...found } = await guessed(text);
    expect(found).toEqual({
      guess: 'discord',
      layout: 'discord',
      isSure: true,
      others: ['twitter', 'instagram', 'uidGenerator', 'pinterest'],
      perhaps: [],
    });
    expect(written).toBe((await decoded(text, { layout: layouts.discord })).written);
    expect((await guessed(text, { layout: 'guess' })).layout).toBe('discord');
    const table = `tweet_id\n${DISCORD[0]}\n`;
    expect(await guessed(table, { records: { format: 'csv', key: 'tweet_id' } })).toMatchObject({ guess: 'twitter' });
  });

  it('or what numbers are perhaps, and that they look rounded', async () => {
    expect(await guessed('1710000000')).toMatchObject({
      guess: undefined,
      perhaps: [{ what: 'a time in Unix seconds', date: new Date(1710000000000) }],
      written: 'id\n1710000000\n',
    });
    expect(await guessed('9007199254740991')).toMatchObject({
      layout: undefined,
      named: expect.stringMatching(/^2\^53 - 1, /),
    });
    expect(await guessed('1306705919916249000')).toMatchObject({
      layout: 'discord',
      isSure: false,
      rounded: { ids: 1, of: 1, reason: expect.stringMatching(/^JSON\.parse and/) },
    });
  });

  it('from the first of several inputs that has ids, and reads them all', async () => {
    const { out, text } = sink();
    const inputs = [Readable.from([]), Readable.from([`${DISCORD.join('\n')}\n`, '7\n']), file('8\n')];
    const { guess, keys } = await decodeFile(inputs, { out, format: 'json' });
    expect([guess, keys]).toEqual(['discord', DISCORD.length + 2]);
    expect(text().split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^{"id":"7",/),
      expect.stringMatching(/^{"id":"8",/),
      '',
    ]);
  });

  it('if there are ids', async () => {
    const { out, text } = sink();
    const stream = () => Readable.from(['apple\npear\n']);
    await expect(decodeFile([file(''), Readable.from([])], { out })).rejects.toMatchObject({
      name: 'RangeError',
      argument: 'layout',
      message: '"layout": expected a Layout, because the input has no ids to guess it from, got "guess"',
    });
    const words = file('a\n');
    await expect(decodeFile([words, stream()], { out })).rejects.toMatchObject({
      message: `${words}:1: expected a decimal integer from -2^63 to 2^64 - 1, got "a"`,
      ...{ input: 0, file: words, line: 1, got: 'a' },
    });
    const hex = [file(''), file('00000000000000ff\n')];
    await expect(decodeFile(hex, { out })).rejects.toMatchObject({
      message: `${hex[1]}:1: expected a decimal integer from -2^63 to 2^64 - 1, got "00000000000000ff"; with "text" hex, such ids are read`,
      ...{ input: 1, file: hex[1], line: 1, got: '00000000000000ff', text: 'hex' },
    });
    const uuid = Readable.from(['017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n']);
    await expect(decodeFile(uuid, { out, raw: true })).rejects.toMatchObject({ argument: 'raw', got: 'uuid' });
    expect(uuid.destroyed).toBe(true);
    expect(text()).toBe('');
  });
});

describe('what decodeFile refuses', () => {
  const layout: Layout = parseLayout('timestamp:60,a:4');

  it('is told to onReject, with what is known of it', async () => {
    const rejected: object[] = [];
    const onReject = ({ error, bytes, ...place }: RejectedLine) =>
      void rejected.push({ ...error, ...place, bytes: Buffer.from(bytes).toString(), message: error.message });
    const { out, text } = sink();
    const late = 2n ** 53n + 1n;
    const inputs = [file('16\nx\n'), Readable.from([`${late << 4n}\r\n33`])];
    const { keys } = await decodeFile(inputs, { out, layout, onReject, threads: 3 });
    expect([keys, text()]).toEqual([
      2,
      'id\ttimestamp\ta\tdate\n16\t1\t0\t1970-01-01T00:00:00.001Z\n33\t2\t1\t1970-01-01T00:00:00.002Z\n',
    ]);
    const expected = 'an id whose timestamp is exact in Unix milliseconds';
    expect(rejected).toMatchObject([
      { input: 0, file: inputs[0], line: 2, bytes: 'x', got: 'x' },
      {
        ...{ input: 1, file: '-', line: 1, bytes: String(late << 4n), expected, got: late << 4n, isRawNeeded: true },
        message: `line 1: expected ${expected}, got ${late << 4n}n; with "raw", times are in units of their field`,
      },
    ]);
  });

  it('otherwise ends it, after the rows before', async () => {
    const { out, text } = sink();
    const path = file('1\n256\n');
    await expect(decodeFile(['/dev/null', path], { out, layout: parseLayout('a:8') })).rejects.toMatchObject({
      message: `${path}:2: expected an id of at most 8 bits, got 256n`,
      ...{ name: 'RangeError', code: 'ERR_OUT_OF_RANGE', input: 1, file: path, line: 2, got: 256n },
    });
    expect(text()).toBe('id\ta\n1\t1\n');
    const target = join(temporaryFolder(), 'out');
    await expect(decodeFile(path, { out: target, layout: parseLayout('a:8') })).rejects.toThrow(RangeError);
    expect(existsSync(target)).toBe(false);
  });

  it.each<[argument: string, options: object]>([
    ['options', { key: 'id' }],
    ['layout', { layout: 'snowflake' }],
    ['layout', { layout: parseLayout('a:8,date:8') }],
    ['layout', { layout, text: 'ulid' }],
    ['raw', { raw: 1 }],
    ['raw', { raw: true, text: 'ulid', layout: undefined }],
    ['text', { text: 'octal' }],
    ['format', { format: 'ndjson' }],
    ['format', { format: 'csv', records: { format: 'csv', key: 'id' } }],
    ['prefix', { prefix: 'x' }],
    ['prefix', { prefix: 5, records: { format: 'csv', key: 'id' } }],
    ['onGuess', { onGuess: 'say' }],
    ['onReject', { onReject: 'say' }],
    ['out', { out: 5 }],
    ['threads', { threads: 0 }],
    ['compress', { compress: 'zip' }],
    ['records.ragged', { layout, records: { format: 'csv', key: 'id', ragged: true } }],
    ['records.delimiter', { layout, records: { format: 'csv', key: 'id', delimiter: '-', quote: 'none' } }],
  ])('are options of the wrong kind or value: %s', async (argument, options) => {
    const out = join(temporaryFolder(), 'out');
    await expect(decodeFile('no such file', { out, layout, ...options } as never)).rejects.toMatchObject({ argument });
    expect(existsSync(out)).toBe(false);
  });
});

onBothBackends('encodeFile', () => {
  it('makes the ids again that decodeFile has split', async () => {
    for (const raw of [false, true]) {
      for (const format of ['tsv', 'csv', 'json'] as const) {
        const rows = (await decoded(lines, { layout: snowflake, format, raw })).written;
        const { written, result } = await encoded(rows, { layout: snowflake, format, raw });
        expect(written).toBe(lines);
        expect(result).toEqual({ keys: IDS.length, bytes: rows.length });
      }
    }
    const wide: Layout = parseLayout('a:64');
    const rows = (await decoded(lines, { layout: wide, format: 'json' })).written;
    expect((await encoded(rows, { layout: wide, format: 'json' })).written).toBe(lines);
  });

  it('reads values in quotes, with escapes, as numbers and as dates', async () => {
    const layout: Layout = parseLayout('timestamp:42,a:8');
    const ids = [
      [1709289015500n, 7n],
      [0n, 255n],
    ].map(([at, a]) => `${((at as bigint) << 8n) | (a as bigint)}\n`);
    const csv = '"a",id,timestamp\r\n007,"x,\n""y""",2024-03-01T10:30:15.5Z\r\n\r\n"255",,"0"';
    expect((await encoded(csv, { layout, format: 'csv' })).written).toBe(ids.join(''));
    const json =
      '{"timestamp":"2024-03-01 10:30:15.5","a":7.0,"date":[{"a":1}]}\n \n{"a":"2\\u00355","timestamp":-0,"id":null}';
    expect((await encoded(json, { layout, format: 'json' })).written).toBe(ids.join(''));
  });

  it('takes tables with other orders of their columns, one after the other', async () => {
    const { out, text } = sink();
    const inputs = [file('a\tb\n1\t2\n'), Readable.from(['b\ta\n', '2\t1\n'])];
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => void seen.push(progress);
    const progress = await encodeFile(inputs, { layout: parseLayout('a:8,b:8'), out, threads: 2, onProgress });
    expect(text()).toBe('258\n258\n');
    expect(progress).toEqual({ keys: 2, bytes: 16 });
    expect(seen.at(-1)).toEqual(progress);
  });
});

describe('what encodeFile refuses', () => {
  const layout: Layout = parseLayout('timestamp:42,a:8');

  it.each<[format: 'csv' | 'json', line: string, problem: object]>([
    ['csv', '5,256', { field: 'a', expected: 'an integer from 0 to 255', got: 256n, isRawNeeded: false }],
    ['csv', '5,-1', { field: 'a', expected: 'a whole number', got: '-1' }],
    ['csv', '"9007199254740993",1', { field: 'timestamp', got: '9007199254740993', isRawNeeded: true }],
    ['csv', '4398046511104,1', { field: 'timestamp', got: 4398046511104, isRawNeeded: true }],
    ['csv', '1', { expected: '2 fields', got: '1' }],
    ['csv', '1,"', { expected: 'a closing quote', got: '1,"' }],
    ['json', '{"timestamp":1}', { field: 'a', expected: 'a value', got: undefined }],
    ['json', '{"timestamp":1,"a":null}', { field: 'a', got: null }],
    ['json', '{"timestamp":9007199254740992,"a":1}', { field: 'timestamp', got: 2 ** 53 }],
    ['json', '{"timestamp":1,"a":true}', { field: 'a', got: true }],
    ['json', '{"timestamp":1,"a":1,"a":1}', { expected: 'every name once' }],
    ['json', '{"timestamp":1,"b":1}', { got: 'b', known: ['timestamp', 'a'] }],
    ['json', '{', { expected: 'JSON' }],
  ])('is told to onReject, with what is known of it: %s %s', async (format, line, problem) => {
    const good = format === 'csv' ? '1,2' : '{"timestamp":1,"a":2}';
    const text = `${[...(format === 'csv' ? ['timestamp,a'] : []), good, line].join('\n')}\n`;
    const number = format === 'csv' ? 3 : 2;
    const paths = [file(`${text.split('\n').slice(0, -2).join('\n')}\n`), file(text)];
    const rejected: RejectedLine[] = [];
    const onReject = (one: RejectedLine) => void rejected.push(one);
    const { out, text: written } = sink();
    const { keys } = await encodeFile(paths, { layout, format, out, onReject, threads: 3 });
    expect([keys, written()]).toEqual([2, '258\n258\n']);
    const place = { input: 1, file: paths[1], line: number };
    expect(rejected).toMatchObject([{ ...place, error: { line: number, ...problem } }]);
    const ended = encodeFile(paths, { layout, format, out: sink().out });
    await expect(ended).rejects.toMatchObject({ ...place, ...problem });
  });

  it('names the field, and what to do about a time', async () => {
    const running = encodeFile(file('a,timestamp\n1,9007199254740993\n'), { layout, format: 'csv', out: sink().out });
    await expect(running).rejects.toThrow(
      /:2: timestamp: expected Unix milliseconds that a number holds exactly, got "9007199254740993"; with "raw", times are in units of their field$/,
    );
  });

  it('is a header that does not name the fields, whatever onReject does', async () => {
    const onReject = () => expect.unreachable();
    for (const [header, message] of [
      ['timestamp,b', 'expected one of timestamp, a, got "b"'],
      ['timestamp,id', 'expected a column named a, got "timestamp,id"'],
      ['timestamp,a,a', 'expected one column named a, got "timestamp,a,a"'],
      ['', 'expected a header with timestamp, a, got nothing'],
    ]) {
      const path = file(`${header}\n\n`);
      const target = join(temporaryFolder(), 'out');
      const running = encodeFile(path, { layout, format: 'csv', out: target, onReject });
      await expect(running).rejects.toThrow(`${path}:1: ${message}`);
      expect(existsSync(target)).toBe(false);
    }
  });

  it.each<[argument: string, options: object]>([
    ['options', { records: { format: 'csv', key: 'a' } }],
    ['layout', { layout: undefined }],
    ['layout', { layout: 'snowflake' }],
    ['layout', { layout: parseLayout(Array.from({ length: 30 }, (_, i) => `f${i}:1`).join()), format: 'json' }],
    ['format', { format: 'ndjson' }],
    ['raw', { raw: 'yes' }],
    ['out', { out: '' }],
    ['threads', { threads: 257 }],
  ])('are options of the wrong kind or value: %s', async (argument, options) => {
    const out = join(temporaryFolder(), 'out');
    await expect(encodeFile('no such file', { out, layout, ...options } as never)).rejects.toMatchObject({ argument });
    expect(existsSync(out)).toBe(false);
  });

  it('leaves a file that it replaces as it is', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'rows');
    writeFileSync(path, 'timestamp\ta\n1\t256\n');
    await expect(encodeFile(path, { layout, out: path })).rejects.toThrow(`${path}:2: a: expected`);
    expect(readFileSync(path, 'utf8')).toBe('timestamp\ta\n1\t256\n');
  });
});
