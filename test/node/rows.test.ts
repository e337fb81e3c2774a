import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as shipped from 'shardbits';
import * as shippedForNode from 'shardbits/node';
import { afterAll, describe, expect, it } from 'vitest';
import { planReshard, Router, typedKey, xxh64 } from '../../src/index.js';
import {
  hashLines,
  planLines,
  type RecordFormat,
  type RejectedLine,
  routeFile,
  routeLines,
  routeToDirectory,
} from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

const router = new Router({ shards: 100, seed: 7n, down: [3] });
const ids = randomU64s(5_000);
const names = Array.from(ids, (id, i) => (i % 3 === 0 ? `é "${id % 1000n}"\n` : 'name '.repeat(i % 5) + (id % 1000n)));

const csvField = (text: string) => (/[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const records = (delimiter: string) => names.map((name, i) => [i, csvField(name), ids[i]].join(delimiter));
const json = names.map((name, i) => `{"user":{"name":${JSON.stringify(name)},"no":${i}},"id":"${ids[i]}"}`);

const CSV = `no,"na""me",id\r\n${records(',').join('\r\n')}`;
const TSV = `no\t"na""me"\tid\n${records('\t').join('\n')}\n`;
const NDJSON = json.join('\n');

/** A stream, and what has come to it. */
function sink() {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { out, text: () => Buffer.concat(chunks).toString() };
}

function file(bytes: string | Uint8Array, name = 'rows'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

/** As text, with the number of its line. */
function shown({ file: name, line, error, bytes }: RejectedLine): string {
  return `${name}:${line} ${new TextDecoder().decode(bytes)} (${error.message})`;
}

/** Whether texts are the same, without a long message if not. */
function expectSame(got: string, expected: string): void {
  expect(got.slice(0, 1000)).toBe(expected.slice(0, 1000));
  expect(got === expected).toBe(true);
}

const KEYS: [name: string, rows: RecordFormat, text: string, keys: readonly (string | bigint)[]][] = [
  ['a column of CSV by its name', { format: 'csv', key: 'na"me' }, CSV, names],
  ['a column by its number, which has a header', { format: 'csv', key: 2 }, CSV, names],
  ['a column of TSV', { format: 'tsv', key: ['na"me'] }, TSV, names],
  ['a column without a header', { format: 'csv', key: 2, header: false }, records(',').join('\n'), names],
  [
    'a column with another delimiter',
    { format: 'csv', key: 1, delimiter: ';', header: false },
    records(';').join('\n'),
    names.map((_, i) => `${i}`),
  ],
  [
    'two columns, one by its number',
    { format: 'tsv', key: ['id', 2] },
    TSV,
    names.map((name, i) => typedKey(`${ids[i]}`, name)),
  ],
  [
    'three columns',
    { format: 'csv', key: ['na"me', 'id', 'no'] },
    CSV,
    names.map((name, i) => typedKey(name, typedKey(`${ids[i]}`, `${i}`))),
  ],
  ['a path in NDJSON', { format: 'ndjson', key: 'user.name' }, NDJSON, names],
  [
    'two paths in NDJSON',
    { format: 'ndjson', key: ['user.no', 'user.name'] },
    NDJSON,
    names.map((name, i) => typedKey(`${i}`, name)),
  ],
];

const U64_KEYS: [name: string, rows: RecordFormat, text: string][] = [
  ['CSV', { format: 'csv', key: 'id' }, CSV],
  ['TSV', { format: 'tsv', key: 3 }, TSV],
  ['NDJSON', { format: 'ndjson', key: 'id' }, NDJSON],
];

onBothBackends('rows of a table', () => {
  it.each(KEYS)('have a key: %s', async (_, rows, text, keys) => {
    const bytes = Buffer.from(text);
    const decoder = new TextDecoder();
    let row = 0;
    for await (const { lines, shards } of routeLines(
      Readable.from([bytes.subarray(0, 999), bytes.subarray(999)]),
      router,
      { records: rows },
    )) {
      const { data, starts, ends } = lines.keys;
      expect([shards.length, starts.length, ends.length]).toEqual(Array(3).fill(lines.count));
      for (let i = 0; i < lines.count; i++, row++) {
        const key = decoder.decode(data.subarray(starts[i], ends[i]));
        if (key !== keys[row] || shards[i] !== router.route(key)) expect({ row, key }).toEqual({ row, key: keys[row] });
      }
    }
    expect(row).toBe(keys.length);
  });

  it.each(KEYS)('are hashed and routed by it: %s', async (_, rows, text, keys) => {
    const path = file(gzipSync(text));
    const hashes: bigint[] = [];
    for await (const batch of hashLines(path, { records: rows, seed: 5n })) hashes.push(...batch.hashes);
    expectSame(hashes.join('\n'), keys.map((key) => xxh64(key, 5n)).join('\n'));
    const { out, text: written } = sink();
    const progress = await routeFile(path, { router, out, records: rows, format: 'shard' });
    expect(progress).toEqual({ keys: keys.length, bytes: statSync(path).size });
    expectSame(written(), keys.map((key) => `${router.route(key)}\n`).join(''));
    const to = router.with({ shards: 120, down: [] });
    const { total, moved, flows } = planReshard(keys as string[], router, to);
    expect(await planLines(path, router, to, { records: rows })).toMatchObject({ total, moved, flows });
  });

  it.each(U64_KEYS)('have keys that are u64s: %s', async (_, rows, text) => {
    const { out, text: written } = sink();
    await routeFile(Readable.from([text]), { router, out, records: rows, keys: 'u64', format: 'shard' });
    expectSame(written(), [...router.routeMany(ids)].map((shard) => `${shard}\n`).join(''));
    const hashes: bigint[] = [];
    const options = { records: rows, keys: 'u64', hash: 'none' } as const;
    for await (const batch of hashLines(Readable.from([text]), options)) hashes.push(...batch.hashes);
    expectSame(hashes.join('\n'), ids.join('\n'));
  });

  it('get a column more, of one file and of several', async () => {
    const shards = router.routeMany(names);
    const csv = records(',').map((record, i) => `${record},${shards[i]}`);
    const { out, text } = sink();
    const rows: RecordFormat = { format: 'csv', key: 'na"me' };
    await routeFile([file('\ufeff'), file(CSV), Readable.from([`\ufeff${CSV}\r\n`])], { router, out, records: rows });
    const body = `${csv.join('\r\n')}`;
    expectSame(text(), `no,"na""me",id,shard\r\n${body}\n${body}\r\n`);

    const path = join(temporaryFolder(), 'out');
    const ndjson: RecordFormat = { format: 'ndjson', key: ['user.name'] };
    await routeFile([file(NDJSON), file(`\ufeff${NDJSON}`)], {
      router,
      out: path,
      records: ndjson,
      asColumn: 'to "x"',
    });
    const objects = json.map((record, i) => `${record.slice(0, -1)},"to \\"x\\"":${shards[i]}}\n`).join('');
    expectSame(readFileSync(path, 'utf8'), objects + objects);
  });

  it('go to a file for each shard, with a manifest', async () => {
    const shards = router.routeMany(names);
    for (const [rows, text, header, lines] of [
      [{ format: 'tsv', key: 2 }, TSV, 'no\t"na""me"\tid\n', records('\t')],
      [{ format: 'ndjson', key: 'user.name' }, NDJSON, '', json],
    ] as const) {
      const directory = join(temporaryFolder(), 'shards');
      const progress = await routeToDirectory([file(text), file(text)], { router, directory, records: rows });
      expect(progress).toEqual({ keys: 2 * names.length, bytes: 2 * Buffer.byteLength(text) });
      const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
      expect(readdirSync(directory)).toHaveLength(101);
      let bytes = 0;
      for (let shard = 0; shard < 100; shard++) {
        const name = `${String(shard).padStart(2, '0')}.${rows.format}`;
        const mine = lines.filter((_, i) => shards[i] === shard).map((line) => `${line}\n`);
        const content = header + mine.join('') + mine.join('');
        expectSame(readFileSync(join(directory, name), 'utf8'), content);
        expect(manifest.files[shard]).toEqual({ name, rows: 2 * mine.length, bytes: Buffer.byteLength(content) });
        bytes += Buffer.byteLength(content);
      }
      expect(manifest).toMatchObject({ rows: 2 * names.length, bytes, options: { keys: 'text', records: rows } });
      expect(manifest.options.router).toEqual(JSON.parse(JSON.stringify(router)));
    }
  });

  it('that are malformed end a job after those before them, or go to onReject in their place', async () => {
    const good = Array.from({ length: 20_000 }, (_, i) => `${i},"\n"`);
    const lines = good.flatMap((record, i) => (i % 7000 === 6999 ? [record, `x${i},`, 'y"'] : [record]));
    const input = () => [file('id,b\n0,z', 'first'), Readable.from([`id,b\n${lines.join('\n')}`])];
    const options = { router, records: { format: 'csv', key: 'id' }, keys: 'u64' } as const;
    const { out, text } = sink();
    await expect(routeFile(input(), { ...options, out, format: 'shard' })).rejects.toMatchObject({
      name: 'RangeError',
      message: '-:14002: expected a decimal integer from -2^63 to 2^64 - 1, got "x6999"',
      line: 14_002,
      file: '-',
    });
    const shards = good.map((_, i) => router.route(BigInt(i)));
    expectSame(text(), [shards[0], ...shards.slice(0, 7000)].map((shard) => `${shard}\n`).join(''));

    const rejected: string[] = [];
    const onReject = async (line: RejectedLine) => {
      await Promise.resolve();
      rejected.push(shown(line));
    };
    const all = sink();
    const progress = await routeFile(input(), { ...options, out: all.out, onReject, threads: 3 });
    expect(progress.keys).toBe(20_001);
    const rows = good.map((record, i) => `${record},${shards[i]}\n`).join('');
    expectSame(all.text(), `id,b,shard\n0,z,${shards[0]}\n${rows}`);
    const notU64 = 'expected a decimal integer from -2^63 to 2^64 - 1';
    expect(rejected).toEqual([
      `-:14002 x6999, (line 14002: ${notU64}, got "x6999")`,
      '-:14003 y" (line 14003: expected quotes around a field that has a quote in it, got "y\\"")',
      `-:28004 x13999, (line 28004: ${notU64}, got "x13999")`,
      '-:28005 y" (line 28005: expected quotes around a field that has a quote in it, got "y\\"")',
    ]);
    const plan = await planLines(input(), router, router, {
      records: options.records,
      keys: 'u64',
      onReject: () => {},
    });
    expect(plan.total).toBe(20_001);
  });

  it('end a job with what onReject throws, and leave nothing', async () => {
    const folder = temporaryFolder();
    const onReject = () => {
      throw new Error('enough');
    };
    const options = { router, records: { format: 'ndjson', key: 'a' }, onReject } as const;
    const input = () => Readable.from(['{"a":1}\n[]\n']);
    await expect(routeFile(input(), { ...options, out: join(folder, 'out') })).rejects.toThrow('enough');
    await expect(routeToDirectory(input(), { ...options, directory: join(folder, 'dir') })).rejects.toThrow('enough');
    await expect(hashLines(input(), { records: options.records }).next()).resolves.toMatchObject({ done: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('end a job at a header that is none, and leave nothing', async () => {
    const folder = temporaryFolder();
    const onReject = () => expect.unreachable();
    const options = { router, records: { format: 'csv', key: 'a' }, onReject } as const;
    const [first, second] = [file('a,b\n1,2\n', 'first'), file('a,c\n1,2\n', 'second')];
    const message = `${second}:1: expected the columns a,b, got "a,c"`;
    await expect(routeFile([first, second], { ...options, out: join(folder, 'out') })).rejects.toThrow(message);
    const running = routeToDirectory([first, second], { ...options, directory: join(folder, 'dir') });
    await expect(running).rejects.toMatchObject({ message, file: second, line: 1, code: 'ERR_OUT_OF_RANGE' });
    await expect(planLines([first, second], router, router, { records: options.records })).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('have each column of their key once, also by its name and by its number', async () => {
    const rows: RecordFormat = { format: 'csv', key: ['a', 1] };
    const running = routeFile(Readable.from(['a,b\n1,2\n']), { router, out: sink().out, records: rows });
    await expect(running).rejects.toMatchObject({ file: '-', line: 1, expected: 'each column of the key once' });
  });
});

describe('rows of NDJSON on several threads', () => {
  // As it is shipped: a thread needs its script.
  afterAll(() => shipped.setBackend('auto'));

  const SEGMENT = 4 * 1024 * 1024;
  const object = (i: number) => `{"n":${i},"text":"${'é😀 '.repeat(i % 30)}","a":{"b":"key ${i % 5000}\\n"}}`;
  const lines = (from: number, byteLength: number): string[] => {
    const all: string[] = [];
    for (let i = from, left = byteLength; left > 0; left -= Buffer.byteLength(all.at(-1) as string) + 1, i++) {
      all.push(object(i));
    }
    return all;
  };
  const rows = { format: 'ndjson', key: ['a.b', 'n'] } as const;
  const routed = (line: string): string => {
    const { n, a } = JSON.parse(line);
    return `${line.slice(0, -1)},"shard":${router.route(typedKey(a.b, String(n)))}}\n`;
  };
  const options = () => ({ router: new shipped.Router(router), records: rows });

  it.each(['wasm', 'bigint'] as const)('are those of one, of several files: %s', async (backend) => {
    shipped.setBackend(backend);
    const some = lines(0, backend === 'wasm' ? 2.1 * SEGMENT : 1.1 * SEGMENT);
    const more = lines(7, 1000);
    const paths = [file(some.join('\n')), file(''), file(`\ufeff${more.join('\r\n')}\r\n`)];
    const expected = some.map(routed).join('') + more.map((line) => routed(line).replace('\n', '\r\n')).join('');
    for (const threads of [1, 3]) {
      const { out, text } = sink();
      const progress = await shippedForNode.routeFile(paths, { ...options(), out, threads });
      expect(progress.keys).toBe(some.length + more.length);
      expectSame(text(), expected);
    }
  });

  it('end at the first one that is malformed, after those before it, and leave nothing', async () => {
    shipped.setBackend('auto');
    const [some, more] = [lines(0, 1.5 * SEGMENT), lines(9, SEGMENT)];
    const bad = ['{"n":1}', ...more, 'bad'];
    const path = file([...some, ...bad].join('\n'));
    const folder = temporaryFolder();
    for (const threads of [1, 3]) {
      const { out, text } = sink();
      const line = some.length + 1;
      const message = `${path}:${line}: expected a string, a number or a boolean at a.b and n, got "{\\"n\\":1}"`;
      const job = { ...options(), threads };
      await expect(shippedForNode.routeFile(path, { ...job, out })).rejects.toMatchObject({
        message,
        line,
        file: path,
      });
      expectSame(text(), some.map(routed).join(''));
      await expect(shippedForNode.routeFile(path, { ...job, out: join(folder, 'out') })).rejects.toThrow(message);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are those of one where CSV is read by one', async () => {
    const csv = { format: 'csv', key: 'b' } as const;
    const quoted = `a,b\n${'"\n",x\n'.repeat(SEGMENT / 6)}`;
    const { out, text } = sink();
    await shippedForNode.routeFile(file(quoted), { ...options(), records: csv, out, threads: 3 });
    expectSame(text(), `a,b,shard\n${`"\n",x,${router.route('x')}\n`.repeat(SEGMENT / 6)}`);
  });
});

describe('options of the wrong kind or value', () => {
  const rows = { format: 'csv', key: 'a' };
  it.each<[kind: typeof TypeError | typeof RangeError, argument: string, options: object]>([
    [TypeError, 'records', { records: 5 }],
    [TypeError, 'records', { records: null }],
    [TypeError, 'records', { records: 'csv' }],
    [TypeError, 'records.format', { records: { key: 'a' } }],
    [RangeError, 'records.format', { records: { ...rows, format: 'CSV' } }],
    [RangeError, 'records', { records: { ...rows, keys: 'a' } }],
    [TypeError, 'records.key', { records: { format: 'csv' } }],
    [TypeError, 'records.key', { records: { ...rows, key: null } }],
    [TypeError, 'records.key', { records: { ...rows, key: true } }],
    [TypeError, 'records.key', { records: { ...rows, key: ['a', ['b']] } }],
    [TypeError, 'records.key', { records: { format: 'ndjson', key: 1 } }],
    [RangeError, 'records.key', { records: { ...rows, key: [] } }],
    [RangeError, 'records.key', { records: { ...rows, key: ['a', 'a'] } }],
    [RangeError, 'records.key', { records: { ...rows, key: 0 } }],
    [RangeError, 'records.key', { records: { ...rows, key: 1.5 } }],
    [RangeError, 'records.key', { records: { ...rows, key: Number.NaN } }],
    [RangeError, 'records.key', { records: { ...rows, key: 65_537 } }],
    [RangeError, 'records.key', { records: { ...rows, header: false } }],
    [RangeError, 'records.key', { records: { ...rows, key: Array.from({ length: 256 }, (_, i) => i + 1) } }],
    [RangeError, 'records.key', { records: { format: 'ndjson', key: Array.from({ length: 32 }, (_, i) => `a${i}`) } }],
    ...['', '.', 'a.', '.a', 'a..b'].map((key): [typeof RangeError, string, object] => {
      return [RangeError, 'records.key', { records: { format: 'ndjson', key } }];
    }),
    [TypeError, 'records.delimiter', { records: { ...rows, delimiter: 44 } }],
    ...['', ';;', '"', '\n', '\r', 'é', '😀'].map((delimiter): [typeof RangeError, string, object] => {
      return [RangeError, 'records.delimiter', { records: { ...rows, delimiter } }];
    }),
    [RangeError, 'records.delimiter', { records: { ...rows, format: 'tsv', delimiter: '\t' } }],
    [RangeError, 'records.delimiter', { records: { ...rows, format: 'ndjson', delimiter: ',' } }],
    [TypeError, 'records.header', { records: { ...rows, header: 'yes' } }],
    [RangeError, 'records.header', { records: { ...rows, format: 'ndjson', header: true } }],
  ])('are refused: %o "%s" %j', async (Kind, argument, options) => {
    const folder = temporaryFolder();
    const [out, directory] = [join(folder, 'out'), join(folder, 'dir')];
    const refused = { name: Kind.name, argument, message: expect.stringContaining(`"${argument}": expected `) };
    await expect(routeFile('none', { router, out, ...options })).rejects.toMatchObject(refused);
    await expect(routeToDirectory('none', { router, directory, ...options })).rejects.toMatchObject(refused);
    await expect(planLines('none', router, router, options)).rejects.toMatchObject(refused);
    for (const call of [() => hashLines('none', options), () => routeLines('none', router, options)]) {
      expect(call).toThrow(expect.objectContaining(refused));
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[kind: typeof TypeError | typeof RangeError, argument: string, options: object]>([
    [RangeError, 'format', { records: rows, format: 'tsv' }],
    [RangeError, 'asColumn', { records: rows, format: 'shard', asColumn: 'x' }],
    [RangeError, 'asColumn', { asColumn: 'x' }],
    [TypeError, 'asColumn', { records: rows, asColumn: 5 }],
  ])('of routeFile are refused: %o "%s" %j', async (Kind, argument, options) => {
    const running = routeFile('none', { router, out: '/dev/null', ...options });
    await expect(running).rejects.toMatchObject({ name: Kind.name, argument });
  });
});
