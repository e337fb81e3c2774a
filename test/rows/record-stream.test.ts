import fc from 'fast-check';
import { expect, it } from 'vitest';
import { typedKey } from '../../src/index.js';
import { type RecordFormat, recordStream, routeStream } from '../../src/rows/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { all, chunked, rowsIn } from '../support/streams.js';
import { wrong } from '../support/wrong-argument.js';
import { type Found, recordsOf, router, shardsOf, shardsOfLines, TABLES } from './record-samples.js';

onBothBackends('streams of records', () => {
  it.each(TABLES)('are the same in chunks of any length: %s', async (_, rows, text, records, keys) => {
    for (const byteLength of [1, 2, 7, 65_536]) {
      expect(await recordsOf(rows, text, byteLength)).toEqual({ records, keys });
    }
  });

  it.each(TABLES)('are routed by their keys, as routeLines does: %s', async (_, rows, text, _records, keys) => {
    const expected = [...router.routeMany(keys)];
    expect(await shardsOfLines(rows, text)).toEqual(expected);
    for (const byteLength of [1, 2, 7, 65_536]) expect(await shardsOf(rows, text, byteLength)).toEqual(expected);
  });

  it('cut many records in chunks of all sizes, whose columns are good for as long as they are kept', async () => {
    const values = Array.from(randomU64s(scaled(5000, 2)), (value, i) => `${'ж"\n'.repeat(i % 5)}${value}`);
    const fields = values.map((value, i) => (i % 5 ? `"${value.replaceAll('"', '""')}"` : value));
    const records = fields.map((field, i) => `${i},${field}`);
    const objects = values.map((value, i) => JSON.stringify({ i, key: value }));
    for (const [rows, text, expected] of [
      [{ format: 'csv', key: 'key' }, `i,key\r\n${records.join('\r\n')}`, records],
      [{ format: 'ndjson', key: 'key' }, objects.join('\n'), objects],
    ] as const) {
      const byteLengths = [1, 7, 65_536, 3, 300_000];
      const chunks = await all(chunked(Buffer.from(text), ...byteLengths).pipeThrough(recordStream(rows)));
      expect(rowsIn(chunks.map(({ records }) => records)).join('|') === expected.join('|')).toBe(true);
      expect(rowsIn(chunks.map(({ keys }) => keys)).join('|') === values.join('|')).toBe(true);
      for (const { records, keys } of chunks) {
        expect(keys.offsets.length).toBe(records.offsets.length);
        expect(records.offsets.length).toBeLessThanOrEqual(16_385);
      }
      const routed = await all(
        chunked(Buffer.from(text), ...byteLengths).pipeThrough(routeStream(router, { records: rows })),
      );
      const shards = Uint32Array.from(routed.flatMap((some) => [...some]));
      expect(shards).toEqual(router.routeMany(values));
      expect(Uint32Array.from(await shardsOfLines(rows, text))).toEqual(shards);
    }
  });

  it('have columns that xxh64Many and routeMany take', async () => {
    const text = 'a,b\n1,x\n2,"y"\n';
    const source = chunked(Buffer.from(text), 1e9);
    const [chunk, ...rest] = await all(source.pipeThrough(recordStream({ format: 'csv', key: ['b', 'a'] })));
    expect(rest).toEqual([]);
    expect([...router.routeMany(chunk?.keys as never)]).toEqual(['1:x:1', '1:y:2'].map((key) => router.route(key)));
    expect([...router.routeMany(chunk?.records as never)]).toEqual(['1,x', '2,"y"'].map((key) => router.route(key)));
  });

  it('of any text are the same however they come, or fail alike', async () => {
    const unit = fc.constantFrom('a', '1', ',', '\n', '\r\n', '"', '""', '"b"', '"c\n,"', '\r', 'жизнь', '{"a":1}\n');
    const document = fc.array(unit, { maxLength: 20 }).map((units) => `a,b\n${units.join('')}`);
    const byteLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
    const outcome = (running: Promise<unknown>) => running.catch((error: Error) => String(error));
    await fc.assert(
      fc.asyncProperty(document, byteLengths, async (text, lengths) => {
        for (const rows of [
          { format: 'csv', key: ['b', 'a'] },
          { format: 'csv', key: 1, header: false },
          { format: 'ndjson', key: 'a' },
        ] as const) {
          const whole = await outcome(recordsOf(rows, text, 1e9));
          expect(await outcome(recordsOf(rows, text, ...lengths))).toEqual(whole);
          const shards = typeof whole === 'string' ? whole : [...router.routeMany((whole as Found).keys)];
          expect(await outcome(shardsOf(rows, text, ...lengths))).toEqual(shards);
          if (typeof shards !== 'string') expect(await shardsOfLines(rows, text)).toEqual(shards);
        }
      }),
      { numRuns: scaled(400, 20) },
    );
  });

  it('take every ASCII character for a delimiter, but quotes and line breaks', async () => {
    for (let code = 0; code < 128; code++) {
      const delimiter = String.fromCharCode(code);
      if ('"\r\n'.includes(delimiter)) continue;
      const text = `"a"${delimiter}"b"\n""${delimiter}"${delimiter}"\n`;
      const { keys } = await recordsOf({ format: 'csv', key: ['b', 1], delimiter }, text, 5);
      expect(keys).toEqual([typedKey(delimiter, '')]);
    }
  });

  it('have keys of up to 255 columns, of which the last is number 65536, or of 30 paths', async () => {
    const joined = (parts: readonly string[]) => parts.reduceRight((rest, part) => typedKey(part, rest));
    const numbers = Array.from({ length: 255 }, (_, i) => 65_536 - 257 * i);
    const fields = Array(65_536).fill('');
    for (const number of numbers) fields[number - 1] = String(number);
    const csv = await recordsOf({ format: 'csv', key: numbers, header: false }, `${fields}\n${fields}\n`, 100_000);
    expect(csv.keys).toEqual(Array(2).fill(joined(numbers.map(String))));
    const named = await recordsOf({ format: 'csv', key: numbers.map(String) }, `${fields}\n${fields}\n`, 100_000);
    expect(named.keys).toEqual([joined(numbers.map(String))]);
    const names = Array.from({ length: 30 }, (_, i) => `n${i}`);
    const record = Object.fromEntries(names.map((name) => [name, { ü: `${name}\n` }]));
    const rows = { format: 'ndjson', key: names.map((name) => `${name}.ü`) } as const;
    const ndjson = await recordsOf(rows, `${JSON.stringify(record)}\n`.repeat(2), 100);
    expect(ndjson.keys).toEqual(Array(2).fill(joined(names.map((name) => `${name}\n`))));
  });

  it('with keys that are u64s are routed by those', async () => {
    const rows = { format: 'csv', key: 'id' } as const;
    const keys = randomU64s(1000);
    const text = `name,id\n${Array.from(keys, (key) => `"a\n",${key}`).join('\n')}\n`;
    for (const by of [router, router.with({ hash: 'none' })]) {
      const stream = chunked(Buffer.from(text), 100).pipeThrough(routeStream(by, { keys: 'u64', records: rows }));
      expect((await all(stream)).flatMap((some) => [...some])).toEqual([...by.routeMany(keys)]);
    }
    const bad = chunked(Buffer.from('name,id\n"a\nb",1\nc,x\n'), 4).pipeThrough(
      routeStream(router, { keys: 'u64', records: rows }),
    );
    await expect(all(bad)).rejects.toMatchObject({
      message: 'line 4: expected a decimal integer from -2^63 to 2^64 - 1, got "x"',
      line: 4,
    });
  });

  it('several at once do not disturb each other, records longer than memory at the start included', async () => {
    const long = 'x\n'.repeat(150_000);
    const jobs: readonly (readonly [RecordFormat, string, readonly string[]])[] = [
      [{ format: 'csv', key: 'a' }, `a,b\n1,2\n"${long}",3\n4,"${long}"\n`, ['1', long, '4']],
      [{ format: 'csv', key: [2, 1], header: false }, `"${long}",3\n4,5\n`, [typedKey('3', long), typedKey('5', '4')]],
      [
        { format: 'ndjson', key: 'a' },
        [long, 'é', long].map((a) => `${JSON.stringify({ a })}\n`).join(''),
        [long, 'é', long],
      ],
      [{ format: 'tsv', key: 'a' }, `a\n${'k\n'.repeat(20_000)}`, Array(20_000).fill('k')],
    ];
    const found = await Promise.all(jobs.map(([rows, text], i) => recordsOf(rows, text, 30_000 * (i + 1))));
    jobs.forEach(([, , keys], i) => {
      expect(found[i]?.keys.join('|') === keys.join('|')).toBe(true);
    });
  });
});

type Bad = [
  name: string,
  rows: RecordFormat,
  text: string,
  line: number,
  expected: string,
  got: string | null | undefined,
  field?: string,
];

const MALFORMED: Bad[] = [
  ['a header that lacks the column', { format: 'csv', key: 'c' }, 'a,"b"\n1,2\n', 1, 'a column named c', 'a,"b"'],
  ['a header with the column twice', { format: 'csv', key: 'a' }, 'a,b,a\n1,2,3\n', 1, 'one column named a', 'a,b,a'],
  ['a header that is too short', { format: 'csv', key: 3 }, 'a,b\n1,2\n', 1, 'at least 3 columns', 'a,b'],
  [
    'a header with a quote in a name',
    { format: 'csv', key: 1 },
    'a"b\n1\n',
    1,
    'quotes around a field that has a quote in it',
    'a"b',
  ],
  [
    'a quote in a field',
    { format: 'csv', key: 'a' },
    'a,b\n"1\n2",3\r\n4,5"6\r\n7,8\n',
    4,
    'quotes around a field that has a quote in it',
    '4,5"6',
  ],
  [
    'text after a quote',
    { format: 'csv', key: 1, header: false },
    '1\n"2"3\n',
    2,
    'a delimiter or the end of the record after a closing quote',
    '"2"3',
  ],
  ['a quote that is left open', { format: 'csv', key: 'a' }, 'a\n1\n"2\n3\n', 3, 'a closing quote', '"2'],
  ['too few fields', { format: 'csv', key: 'b' }, 'a,b\n1,2\n3\n', 3, '2 fields', '3'],
  ['too few fields of TSV', { format: 'tsv', key: [1, 2], header: false }, '1\t2\n1,2\n', 2, '2 fields', '1,2'],
  ['a line that is not JSON', { format: 'ndjson', key: 'a' }, '{"a":1}\n{"a":\n', 2, 'JSON', '{"a":'],
  ['no object', { format: 'ndjson', key: 'a' }, '[1]\n', 1, 'a JSON object', '[1]'],
  [
    'a path that leads nowhere',
    { format: 'ndjson', key: ['a.b', 'c'] },
    '{"a":{"b":1},"c":2}\n{"a":2,"c":3}\n',
    2,
    'a key other than NULL',
    undefined,
    'a.b',
  ],
  [
    'a path to an object',
    { format: 'ndjson', key: 'a' },
    '{"a":{"a":1}}',
    1,
    'a string, a number or a boolean at a',
    '{"a":{"a":1}}',
  ],
  ['a path to null', { format: 'ndjson', key: 'a' }, '{"a":null}', 1, 'a key other than NULL', null, 'a'],
];

onBothBackends('streams of malformed records', () => {
  it.each(MALFORMED)('fail with a RangeError and its line: %s', async (_, rows, text, line, expected, got, field) => {
    for (const byteLength of [1, 3, 1000]) {
      for (const fail of [recordsOf, shardsOf]) {
        const error = await fail(rows, text, byteLength).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(RangeError);
        expect(error).toMatchObject({ code: 'ERR_OUT_OF_RANGE', line, expected, got });
        const about = field === undefined ? '' : `${field}: `;
        expect((error as Error).message).toBe(`line ${line}: ${about}expected ${expected}, got ${JSON.stringify(got)}`);
      }
    }
  });

  it('give the records of the chunks before', async () => {
    const text = 'a\n1\n2\nx"y\n3\n';
    const reader = chunked(Buffer.from(text), 4, 2, 1000)
      .pipeThrough(recordStream({ format: 'csv', key: 'a' }))
      .getReader();
    expect(rowsIn([(await reader.read()).value?.keys as never])).toEqual(['1']);
    expect(rowsIn([(await reader.read()).value?.keys as never])).toEqual(['2']);
    await expect(reader.read()).rejects.toThrow(/^line 4: expected quotes/);
    await expect(reader.closed).rejects.toThrow(/^line 4: expected quotes/);
  });

  it('fail where two parts of a key are one column, by its name and its number', async () => {
    for (const key of [
      ['email', 1],
      [1, 'email'],
    ]) {
      await expect(recordsOf({ format: 'csv', key }, 'email,id\na,1\nb,2\n', 1e9)).rejects.toThrow(RangeError);
    }
  });
});

onBothBackends('streams of records', () => {
  it('fail by chunks that are no bytes, and take bytes of every kind', async () => {
    const rows = { format: 'csv', key: 'a' } as const;
    const of = (...chunks: unknown[]) =>
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
    for (const make of [() => recordStream(rows), () => routeStream(router, { records: rows })]) {
      for (const chunk of ['a\n', null, 5, [1]]) {
        await expect(all(of(chunk).pipeThrough(make() as TransformStream))).rejects.toThrow(TypeError);
        await expect(all(of(chunk).pipeThrough(make() as TransformStream))).rejects.toThrow(wrong('chunk'));
      }
    }
    const bytes = Uint16Array.of(0x0a61, 0x0a62); // "a\nb\n"
    const chunks = await all(of(bytes.buffer, new DataView(bytes.buffer)).pipeThrough(recordStream(rows)));
    expect(rowsIn(chunks.map(({ keys }) => keys))).toEqual(['b', 'a', 'b']);
  });
});
