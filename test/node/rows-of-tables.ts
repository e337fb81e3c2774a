import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
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
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

export const router = new Router({ shards: 100, seed: 7n, down: [3] });

const csvField = (text: string) => (/[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A stream, and what has come to it. */
export function sink() {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { out, text: () => Buffer.concat(chunks).toString() };
}

export function file(bytes: string | Uint8Array, name = 'rows'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

/** As text, with the number of its line. */
function shown({ file: name, line, error, bytes }: RejectedLine): string {
  return `${name}:${line} ${new TextDecoder().decode(bytes)} (${error.message})`;
}

/** Whether texts are the same, without a long message if not. */
export function expectSame(got: string, expected: string): void {
  expect(got.slice(0, 1000)).toBe(expected.slice(0, 1000));
  expect(got === expected).toBe(true);
}

/**
 * The tests of tables, on the backend that is set.
 * @param rowCount a multiple of 5
 */
export function testRows(rowCount: number): void {
  const ids = randomU64s(rowCount);
  const names = Array.from(ids, (id, i) =>
    i % 3 === 0 ? `é "${id % 1000n}"\n` : 'name '.repeat(i % 5) + (id % 1000n),
  );

  const records = (delimiter: string) => names.map((name, i) => [i, csvField(name), ids[i]].join(delimiter));
  const json = names.map((name, i) => `{"user":{"name":${JSON.stringify(name)},"no":${i}},"id":"${ids[i]}"}`);

  const CSV = `no,"na""me",id\r\n${records(',').join('\r\n')}`;
  const TSV = `no\t"na""me"\tid\n${records('\t').join('\n')}\n`;
  const NDJSON = json.join('\n');

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
    const [count, gap] = [4 * rowCount, 1.4 * rowCount];
    const good = Array.from({ length: count }, (_, i) => `${i},"\n"`);
    const lines = good.flatMap((record, i) => (i % gap === gap - 1 ? [record, `x${i},`, 'y"'] : [record]));
    const input = () => [file('id,b\n0,z', 'first'), Readable.from([`id,b\n${lines.join('\n')}`])];
    const options = { router, records: { format: 'csv', key: 'id' }, keys: 'u64' } as const;
    const { out, text } = sink();
    await expect(routeFile(input(), { ...options, out, format: 'shard' })).rejects.toMatchObject({
      name: 'RangeError',
      message: `-:${2 * gap + 2}: expected a decimal integer from -2^63 to 2^64 - 1, got "x${gap - 1}"`,
      line: 2 * gap + 2,
      file: '-',
    });
    const shards = good.map((_, i) => router.route(BigInt(i)));
    expectSame(text(), [shards[0], ...shards.slice(0, gap)].map((shard) => `${shard}\n`).join(''));

    const rejected: string[] = [];
    const onReject = async (line: RejectedLine) => {
      await Promise.resolve();
      rejected.push(shown(line));
    };
    const all = sink();
    const progress = await routeFile(input(), { ...options, out: all.out, onReject, threads: 3 });
    expect(progress.keys).toBe(count + 1);
    const rows = good.map((record, i) => `${record},${shards[i]}\n`).join('');
    expectSame(all.text(), `id,b,shard\n0,z,${shards[0]}\n${rows}`);
    const notU64 = 'expected a decimal integer from -2^63 to 2^64 - 1';
    const quotes = 'expected quotes around a field that has a quote in it';
    expect(rejected).toEqual([
      `-:${2 * gap + 2} x${gap - 1}, (line ${2 * gap + 2}: ${notU64}, got "x${gap - 1}")`,
      `-:${2 * gap + 3} y" (line ${2 * gap + 3}: ${quotes}, got "y\\"")`,
      `-:${4 * gap + 4} x${2 * gap - 1}, (line ${4 * gap + 4}: ${notU64}, got "x${2 * gap - 1}")`,
      `-:${4 * gap + 5} y" (line ${4 * gap + 5}: ${quotes}, got "y\\"")`,
    ]);
    const plan = await planLines(input(), router, router, {
      records: options.records,
      keys: 'u64',
      onReject: () => {},
    });
    expect(plan.total).toBe(count + 1);
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
}
