import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type BytesColumn, planReshard, Router, xxh64Many } from '../../src/index.js';
import { placementOf } from '../../src/map/index.js';
import {
  auditFiles,
  countShards,
  detectFiles,
  hashFile,
  hashLines,
  type LineKeys,
  planFiles,
  planLines,
  type RecordFormat,
  type RejectedLine,
  routeFile,
  routeLines,
  routeToDirectory,
} from '../../src/node/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { randomBytes } from '../support/random.js';
import { all } from '../support/streams.js';
import { expectSame, file, linesOf, ownRouting, routed, streamed } from './partition-samples.js';

// Of all lengths up to 40, as serializers write them: with zeros, line breaks, commas and bytes that are not UTF-8.
const KEYS = Array.from({ length: 500 }, (_, i) => Buffer.from(randomBytes(i % 41, i)));

function columnOf(keys: readonly Uint8Array[]): BytesColumn {
  const offsets = new Uint32Array(keys.length + 1);
  for (const [i, key] of keys.entries()) offsets[i + 1] = offsets[i] + key.length;
  return { data: Buffer.concat(keys), offsets };
}

const COLUMN = columnOf(KEYS);

const WRITTEN: readonly (readonly [how: string, keys: 'hex' | 'base64', write: (key: Buffer, i: number) => string])[] =
  [
    ['hex', 'hex', (key) => key.toString('hex')],
    ['hex in upper case', 'hex', (key) => key.toString('hex').toUpperCase()],
    ['hex after 0x or \\x', 'hex', (key, i) => ['0x', '\\x', ''][i % 3] + key.toString('hex')],
    ['base64', 'base64', (key) => key.toString('base64')],
    ['base64 for URLs', 'base64', (key) => key.toString('base64url')],
    [
      'base64 for URLs with padding, or without it in the other alphabet',
      'base64',
      (key, i) => {
        const text = key.toString('base64');
        return i % 2 === 0 ? text.replaceAll('=', '') : text.replaceAll('+', '-').replaceAll('/', '_');
      },
    ],
  ];

interface Form {
  readonly records: RecordFormat | undefined;
  readonly header: string;
  row(key: string, shard: number): string;
  withShard(row: string, shard: number): string;
}

const FORMS: readonly (readonly [name: string, form: Form])[] = [
  ['lines', { records: undefined, header: '', row: (key) => key, withShard: (row, shard) => `${shard}\t${row}` }],
  [
    'CSV',
    {
      records: { format: 'csv', key: 'k' },
      header: 'n,k,shard',
      row: (key, shard) => `x,${shard % 2 === 0 ? `"${key}"` : key},${shard}`,
      withShard: (row, shard) => `${row},${shard}`,
    },
  ],
  [
    'NDJSON',
    {
      records: { format: 'ndjson', key: 'a.k' },
      header: '',
      row: (key, shard) => JSON.stringify({ shard, a: { k: key } }),
      withShard: (row, shard) => `${row.slice(0, -1)},"to":${shard}}`,
    },
  ],
];

const router = new Router({ shards: 12, seed: 3n });
const kafka = partitioner('kafka', { partitions: 12, key: 'bytes' });

onBothBackends('keys in hex and base64', () => {
  it.each(
    WRITTEN.flatMap(([how, keys, write]) => FORMS.map(([name, form]) => [how, name, { keys, write, form }] as const)),
  )('are the bytes that they say: %s in %s', async (_, __, {
    keys,
    write,
    form: { records, header, row, withShard },
  }) => {
    const texts = KEYS.map(write);
    for (const by of [router, kafka, partitioner('redis', { key: 'bytes' })]) {
      const shards = by.routeMany(COLUMN as never);
      const rows = texts.map((text, i) => row(text, shards[i]));
      const text = linesOf(header === '' ? rows : [header, ...rows]);
      const expected = rows.map((one, i) => withShard(one, shards[i]));
      const options = { router: by, keys, records, ...(records && { asColumn: 'to' }) };
      expectSame(await routed(text, options), linesOf(header === '' ? expected : [`${header},to`, ...expected]));
      const path = file(text);
      expect((await countShards(path, { router: by, keys, records })).total).toBe(KEYS.length);
      const batches = await all(routeLines(path, by, { keys, records }));
      expect(batches.reduce((sum, { lines }) => sum + lines.count, 0)).toBe(KEYS.length);
      expect(await streamed(text, by, { keys, records })).toEqual([...shards]);
      const placed = file(records === undefined ? linesOf(rows.map((one, i) => `${shards[i]}\t${one}`)) : text);
      const audit = await auditFiles(placed, { router: by, keys, records });
      expect(audit).toEqual({ rows: KEYS.length, fit: KEYS.length, misplaced: 0, pairs: [], inOtherPairs: 0 });
    }
  });

  it('are hashed as these bytes', async () => {
    const hashes = xxh64Many(COLUMN, { seed: 5n });
    for (const [, keys, write] of WRITTEN) {
      const path = file(linesOf(KEYS.map(write)));
      const out = join(temporaryFolder(), 'out');
      await hashFile(path, { keys, seed: 5n, format: 'dec', out });
      expectSame(readFileSync(out), linesOf(hashes));
    }
  });

  it('are hashed as these bytes in all batches', async () => {
    const hashes = xxh64Many(COLUMN, { seed: 5n });
    for (const [, keys, write] of WRITTEN) {
      const path = file(linesOf(KEYS.map(write)).repeat(40));
      const found: bigint[] = [];
      for await (const batch of hashLines(path, { keys, seed: 5n })) found.push(...batch.hashes);
      expectSame(found, Array(40).fill(hashes.join()).join());
    }
  });

  it('go to a Routing of your own as bytes', async () => {
    const own = ownRouting(router);
    expect(await streamed(linesOf(KEYS.map((key) => key.toString('hex'))), own, { keys: 'hex' })).toEqual([
      ...router.routeMany(COLUMN),
    ]);
  });

  it('are the same keys on both sides of a plan', async () => {
    const path = file(linesOf(KEYS.map((key) => key.toString('base64'))));
    const larger = kafka.shards + 6;
    const sides = [
      [kafka, partitioner('kafka', { partitions: larger, key: 'bytes' })],
      [kafka, router],
      [router, kafka],
      [router, router.with({ shards: larger })],
      [router, router.with({ seed: 4n })],
    ] as const;
    for (const [from, to] of sides) {
      const { rows: _, ideal, flows, ...plan } = planReshard(COLUMN as never, from, to);
      expect(await planLines(path, from, to, { keys: 'base64' })).toEqual({ ...plan, ideal, flows });
      const named = { from: placementOf(from as never), to: placementOf(to as never), keys: 'base64' } as const;
      expect(await planFiles(path, named)).toMatchObject({ ...plan, least: ideal });
    }
  });

  it('tell who placed them', async () => {
    const shards = kafka.routeMany(COLUMN);
    for (const [keys, records, rows] of [
      ['hex', undefined, KEYS.map((key, i) => `${shards[i]}\t${key.toString('hex')}`)],
      [
        'base64',
        { format: 'csv', key: 1, header: false } as const,
        KEYS.map((key, i) => `${key.toString('base64')},${shards[i]}`),
      ],
    ] as const) {
      const path = file(linesOf(rows));
      const shardColumn = records && 2;
      const { verdict, foreignCount } = await detectFiles(path, { keys, records, shardColumn });
      expect(verdict?.options).toBe(`--as kafka --shards 12 --keys ${keys}`);
      expect(verdict?.name).toBe("Kafka's Java client, 12 partitions, keys as bytes");
      expect(verdict?.routing.toJSON()).toEqual(kafka.toJSON());
      expect(foreignCount).toBe(0);
      expect((await detectFiles(path, { records, shardColumn })).verdict).toBeUndefined();
    }
    const ofRouter = router.with({ seed: 0n }).routeMany(COLUMN);
    const path = file(linesOf(KEYS.map((key, i) => `${ofRouter[i]}\t${key.toString('hex')}`)));
    expect((await detectFiles(path, { keys: 'hex' })).verdict?.options).toBe('--shards 12 --keys hex');
  });

  it.each<[keys: LineKeys, good: string, bad: readonly string[]]>([
    [
      'hex',
      '0xff',
      ['f', '0', '0x0', 'fg', '0Xff', '\\Xff', 'x00', ' 00', '00 ', '0x0x00', '\\x\\x00', 'é', 'a=', '-1'],
    ],
    [
      'base64',
      'YWI=',
      [
        'a',
        'YWJjZ',
        'YWI==',
        'YW=I',
        'YWI=YWI=',
        '=',
        '==',
        '====',
        'YQ=',
        'YW==YQ',
        'YR==',
        'YR',
        'YWJ',
        'a:bc',
        'é',
        ' YQ',
      ],
    ],
  ])('that are not %s are named with their row, and the others go on', async (keys, good, bad) => {
    for (const by of [router, kafka]) {
      const expected = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE', line: 3, expected: `bytes in ${keys}` };
      for (const got of bad) {
        const path = file(linesOf([good, good, got, good]));
        const out = join(temporaryFolder(), 'out');
        await expect(routeFile(path, { router: by, keys, out })).rejects.toMatchObject({
          ...expected,
          file: path,
          got,
        });
        await expect(planLines(path, by, by, { keys })).rejects.toMatchObject({ ...expected, got });
        await expect(hashFile(path, { keys, out })).rejects.toMatchObject({ ...expected, got });
      }
      const rejected: string[] = [];
      const onReject = ({ line, bytes }: RejectedLine) => void rejected.push(`${line} ${Buffer.from(bytes)}`);
      const text = linesOf(bad.flatMap((one) => [good, one]));
      const written = await routed(text, { router: by, keys, format: 'shard', onReject });
      const [shard] = await streamed(good, by, { keys });
      expect(String(written)).toBe(`${shard}\n`.repeat(bad.length));
      expect(rejected).toEqual(bad.map((one, i) => `${2 * i + 2} ${one}`));
    }
    const rows = file(linesOf([`1\t${good}`, '2\t?']));
    await expect(detectFiles(rows, { keys: keys as 'hex' })).rejects.toMatchObject({ line: 2, got: '?' });
  });

  it('may be empty, or as long as a line', async () => {
    for (const [keys, empty] of [
      ['hex', ['', '0x', '\\x']],
      ['base64', ['']],
    ] as const) {
      const long = Buffer.from(randomBytes(300_000));
      const texts = [...empty, long.toString(keys)];
      const shards = router.routeMany(columnOf([...empty.map(() => Buffer.alloc(0)), long]));
      expect(await streamed(linesOf(texts), router, { keys })).toEqual([...shards]);
    }
  });

  it('are in the manifest of a directory', async () => {
    const rows = linesOf(['k', '00ff']);
    const records = { format: 'csv', key: 'k' } as const;
    for (const by of [router, kafka]) {
      const directory = join(temporaryFolder(), 'out');
      await routeToDirectory(file(rows), { router: by, keys: 'hex', records, directory });
      const { options } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
      expect(options).toMatchObject({ keys: 'hex', router: by.toJSON() });
    }
  });
});

it.each<[what: string, job: () => Promise<unknown>, argument: string, expected: string]>([
  [
    'a partitioner of another kind',
    () => routeFile('x', { router: partitioner('kafka', { partitions: 12 }), keys: 'hex', out: 'out' }),
    'keys',
    `undefined with a partitioner whose "key" is not 'bytes'`,
  ],
  [
    'a partitioner of another kind beside a Router',
    () => planLines('x', partitioner('kafka', { partitions: 12 }), router, { keys: 'base64' }),
    'keys',
    `undefined with a partitioner whose "key" is not 'bytes'`,
  ],
  [
    'several columns',
    () => routeFile('x', { router, keys: 'hex', out: 'out', records: { format: 'csv', key: ['a', 'b'] } }),
    'keys',
    "'text' with several columns as a key",
  ],
  [
    'several columns, to detect',
    () => detectFiles('x', { keys: 'hex', records: { format: 'csv', key: ['a', 'b'] } }),
    'keys',
    "'text' with several columns as a key",
  ],
  [
    "hash 'none'",
    () => routeFile('x', { router: new Router({ shards: 2, hash: 'none' }), keys: 'hex', out: 'out' }),
    'keys',
    "'u64' with hash 'none'",
  ],
  ['integers, to detect', () => detectFiles('x', { keys: 'u64' as never }), 'keys', "one of 'text', 'hex', 'base64'"],
  [
    'Parquet',
    () => countShards('x', { router, keys: 'hex', records: { format: 'parquet', key: 'k' } }),
    'keys',
    'another kind with Parquet, where a column of BLOBs has bytes',
  ],
])('hex and base64 are refused with %s', async (_, job, argument, expected) => {
  await expect(job()).rejects.toMatchObject({ name: 'RangeError', argument, expected });
});
