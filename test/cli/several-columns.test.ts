// Keys of several columns, each of a kind of its own, as systems hash them: --key tenant --key id --keys int64,text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PartitionValue, partitionerNamed } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const KINDS = ['int64', 'text'] as const;
const ROWS: readonly (readonly [bigint | null, string | null])[] = [
  [1n, 'a'],
  [1n, null],
  [null, 'a'],
  [null, null],
  [42n, ''],
  [-1n, 'é "quoted", with\na line'],
  [2n ** 63n - 1n, '\\N'],
  [0n, '😀'],
];
const WITHOUT_NULL = ROWS.filter((row) => !row.includes(null));
const NULLABLE = ['postgres', 'spark', 'hive', 'hive:1'];
const OTHERS = ['clickhouse:sipHash64', 'clickhouse:cityHash64', 'clickhouse:murmurHash3_64', 'clickhouse:xxHash64'];

const KEY = ['--key', 'tenant', '--key', 'id', '--keys', KINDS.join()];

const csvField = (value: bigint | string | null) => {
  if (value === null) return '\\N';
  return typeof value === 'string' ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '""')}"` : String(value);
};

const FORMATS = {
  csv: {
    args: ['--csv', '--escape', '\\', ...KEY],
    text: (rows: typeof ROWS) =>
      ['id,n,tenant', ...rows.map(([tenant, id], n) => `${csvField(id)},${n},${csvField(tenant)}`), ''].join('\n'),
  },
  ndjson: {
    args: ['--ndjson', ...KEY],
    text: (rows: typeof ROWS) =>
      rows.map(([tenant, id]) => `{"id":${JSON.stringify(id)},"tenant":${tenant}}\n`).join(''),
  },
} as const;

const made = (as: string, shards = 1000) => partitionerNamed(as, { shards, key: KINDS });
const columnsOf = (rows: typeof ROWS) => [0, 1].map((column) => rows.map((row) => row[column] as PartitionValue));

onBothBackends('keys of several columns', () => {
  for (const [format, { args, text }] of Object.entries(FORMATS)) {
    it.each([...NULLABLE, ...OTHERS])(`are routed in ${format} as in columns: %s`, async (as) => {
      const rows = NULLABLE.includes(as) ? ROWS : WITHOUT_NULL;
      const input = [text(rows)];
      const { code, stderr, stdout } = await runHere(
        ['route', ...args, '--as', as, '--shards', '1000', '--format', 'shard'],
        { input },
      );
      expect([code, stderr]).toEqual([0, '']);
      const expected = [...made(as).routeMany(columnsOf(rows))];
      expect(String(stdout).trimEnd().split('\n').map(Number)).toEqual(expected);
      expect(rows.map((row) => made(as).route(row as never))).toEqual(expected);
    });
  }
});

describe('keys of several columns', () => {
  const csv = FORMATS.csv.text(ROWS);
  const postgres = [...FORMATS.csv.args, '--as', 'postgres'];

  it('are planned, audited and split by all of them', async () => {
    const cwd = temporaryFolder();
    const plan = await runHere(['plan', ...postgres, '--from', '100', '--to', '101', '--json'], { input: [csv] });
    const [before, after] = [100, 101].map((shards) => made('postgres', shards).routeMany(columnsOf(ROWS)));
    const moved = before.filter((shard, row) => shard !== after[row]).length;
    expect(JSON.parse(String(plan.stdout))).toMatchObject({ total: ROWS.length, moved });
    await runHere(['route', ...postgres, '--modulus', '4', '--out', 'placed.csv'], { input: [csv], cwd });
    const audit = await runHere(['audit', ...postgres, '--modulus', '4', 'placed.csv'], { cwd });
    expect([audit.code, String(audit.stdout)]).toEqual([0, expect.stringMatching(/fit +8 \(100/)]);
    await runHere(['route', ...postgres, '--modulus', '4', '--out-dir', 'out'], { input: [csv], cwd });
    const manifest = JSON.parse(readFileSync(join(cwd, 'out/manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      options: { router: { system: 'postgres', modulus: 4, key: KINDS }, records: { key: ['tenant', 'id'] } },
      rows: ROWS.length,
    });
    const split = await runHere(['audit', ...postgres, '--modulus', '4', 'out'], { cwd });
    expect([split.code, String(split.stdout)]).toEqual([0, expect.stringMatching(/fit +8 \(100/)]);
  });

  it('are read in the same way on threads', async () => {
    const cwd = temporaryFolder();
    const rows = Array.from({ length: 20_000 }, (_, i): (typeof ROWS)[number] => [
      i % 7 === 0 ? null : BigInt(i * i),
      i % 11 === 0 ? null : `user ${i}`,
    ]);
    const run = (threads: string) =>
      runHere(['route', ...postgres, '--shards', '64', '--threads', threads, '--format', 'shard'], {
        input: [FORMATS.csv.text(rows)],
        cwd,
      });
    const shards = String((await run('1')).stdout)
      .trimEnd()
      .split('\n')
      .map(Number);
    expect(shards).toEqual([...made('postgres', 64).routeMany(columnsOf(rows))]);
    expect((await run('2')).stdout).toEqual((await run('1')).stdout);
  });

  it.each([
    ['clickhouse:sipHash64', '1,\\N', 'id: expected a key other than NULL, got null'],
    ['postgres', 'x,a', 'tenant: expected a decimal integer from -2^63 to 2^63 - 1, got "x"'],
    [
      'postgres',
      '9223372036854775808,a',
      'tenant: expected a decimal integer from -2^63 to 2^63 - 1, got "9223372036854775808"',
    ],
  ])('a value that is not of its kind names its line: %s of %s', async (as, record, expected) => {
    const input = [`tenant,id\n1,a\n2,b\n${record}\n`];
    const { code, stderr } = await runHere(['route', ...FORMATS.csv.args, '--as', as, '--shards', '4'], { input });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`-:4: ${expected}`)]);
  });
});

describe('one column that may be NULL', () => {
  it.each([
    ['postgres', 0],
    ['spark', 42],
    ['hive', 0],
    ['vitess', 153],
  ])('has the shard that %s gives it', async (as, shard) => {
    const input = ['{"id":"a"}\n{"id":null}\n{}\n'];
    const args = ['route', '--ndjson', '--key', 'id', '--as', as, '--shards', '256', '--format', 'shard'];
    const { stdout } = await runHere(args, { input });
    expect(String(stdout).split('\n').slice(1, 3)).toEqual([`${shard}`, `${shard}`]);
    const missing = await runHere([...args, '--missing-key', '7'], { input });
    expect(String(missing.stdout).split('\n').slice(1, 3)).toEqual(['7', '7']);
    const rejected = await runHere([...args, '--missing-key', 'reject'], { input });
    expect([rejected.code, rejected.stderr]).toEqual([
      1,
      expect.stringContaining('-:2: id: expected a key other than NULL'),
    ]);
  });

  it('is refused where there is no rule for it', async () => {
    const args = ['route', '--ndjson', '--key', 'id', '--as', 'kafka', '--shards', '12'];
    const { code, stderr } = await runHere(args, { input: ['{"id":"a"}\n{"id":null}\n'] });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/-:2: .*null.*--missing-key/)]);
  });
});
