// Each operation on rows, over all formats: the same rows give the same results, and the same errors but for lines and rows.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layouts, Router, xxh64Many } from '../../src/index.js';
import { placementOf, ShardMap } from '../../src/map/index.js';
import {
  auditFiles,
  countShards,
  decodeFile,
  detectFiles,
  hashFile,
  planFiles,
  type RecordFormat,
  routeFile,
  routeToDirectory,
} from '../../src/node/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';
import { parquetColumn, writeParquet } from '../support/parquet.js';

const ROWS = 3000; // more than DuckDB has in a chunk
const router = new Router({ shards: 12 });
const kafka = partitioner('kafka', { partitions: 12 });

/** A row of every table: texts, of which some may be NULL. */
interface Row {
  readonly key: string | null;
  readonly id?: string | null;
  readonly shard?: string | number;
}

/** How rows are written and read. */
interface Form {
  readonly name: string;
  /** Options of jobs on records; undefined for lines. */
  records(key: string | readonly string[]): RecordFormat | undefined;
  write(path: string, rows: readonly Row[]): Promise<void>;
  /** The values of a column of what was written; of lines, that of a place. */
  read(path: string, column: string): Promise<string[]>;
}

const namesOf = ([row]: readonly Row[]) => Object.keys(row) as (keyof Row)[];
const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').slice(0, -1);

const lines: Form = {
  name: 'lines',
  records: () => undefined,
  async write(path, rows) {
    writeFileSync(path, rows.map(({ key, shard }) => `${shard === undefined ? '' : `${shard}\t`}${key}\n`).join(''));
  },
  async read(path, column) {
    const all = linesOf(path).map((line) => line.split('\t'));
    return all.map((values) => values[column === 'key' ? values.length - 1 : 0]);
  },
};

const csv: Form = {
  name: 'csv',
  records: (key) => ({ format: 'csv', key, escape: '\\' }),
  async write(path, rows) {
    const names = namesOf(rows);
    const text = rows.map((row) => names.map((name) => (row[name] === null ? '\\N' : row[name])).join(','));
    writeFileSync(path, `${names.join(',')}\n${text.join('\n')}\n`);
  },
  async read(path, column) {
    const [header, ...rows] = linesOf(path).map((line) => line.split(','));
    return rows.map((row) => row[header.indexOf(column)]);
  },
};

const ndjson: Form = {
  name: 'ndjson',
  records: (key) => ({ format: 'ndjson', key }),
  async write(path, rows) {
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  },
  async read(path, column) {
    return linesOf(path).map((line) => String(JSON.parse(line)[column]));
  },
};

const parquet: Form = {
  name: 'parquet',
  records: (key) => ({ format: 'parquet', key }),
  async write(path, rows) {
    await ndjson.write(`${path}.ndjson`, rows);
    const types = namesOf(rows).map((name) => `${name}: 'varchar'`);
    const columns = `columns = { ${types.join(', ')} }`;
    await writeParquet(path, `from read_json('${path}.ndjson', format = 'newline_delimited', ${columns})`);
  },
  async read(path, column) {
    return (await parquetColumn(path, `"${column}"`)).map(String);
  },
};

const FORMS = [lines, csv, ndjson, parquet];
const RECORDS = [csv, ndjson, parquet];

const emails = Array.from({ length: ROWS }, (_, i) => `user${i}@example.com`);
const ids = Array.from(emails, (_, i) => String(175_928_847_299_117_063n + BigInt(i) * 2n ** 32n));
const partitions = [...kafka.routeMany(emails)].map((shard, i) => (i % 100 === 7 ? (shard + 1) % 12 : shard));

describe.each(FORMS)('over $name', ({ name, records, write, read }) => {
  let folder: string;
  const input = (rows: string) => join(folder, `${rows}.${name}`);
  const output = () => join(temporaryFolder(), 'out.parquet');
  beforeAll(async () => {
    folder = temporaryFolder(afterAll);
    await write(
      input('emails'),
      emails.map((key) => ({ key })),
    );
    await write(
      input('ids'),
      ids.map((key) => ({ key })),
    );
    await write(
      input('placed'),
      emails.map((key, i) => ({ key, shard: partitions[i] })),
    );
    for (const [rows, bad] of [
      ['bad', { key: '7x', shard: 3 }],
      ['lost', { key: '7', shard: '3x' }],
    ] as const) {
      const good = Array.from({ length: 2500 }, (_, i) => ({ key: String(i), shard: 3 }));
      await write(input(rows), [...good, bad, ...good]);
      await write(
        input(`${rows}-keys`),
        [...good, bad, ...good].map(({ key }) => ({ key })),
      );
    }
  });
  const byKey = () => ({ records: records('key') });

  it('route', async () => {
    const out = output();
    const { keys } = await routeFile(input('emails'), { router, out, ...byKey() });
    expect(keys).toBe(ROWS);
    expect(await read(out, 'shard')).toEqual(Array.from(router.routeMany(emails), String));
    expect(await read(out, 'key')).toEqual(emails);
  });

  it('route by a system, to nodes', async () => {
    const out = output();
    const map = ShardMap.create({ shards: 12, nodes: [{ name: 'a' }, { name: 'b' }] });
    await routeFile(input('emails'), {
      placement: placementOf(kafka, map),
      out,
      ...byKey(),
      ...(byKey().records && { asColumn: 'node' }),
    });
    const nodes = Array.from(map.nodeColumn(kafka.routeMany(emails)), (node) => map.nodes[node].name);
    expect(await read(out, 'node')).toEqual(nodes);
  });

  it('directory', async () => {
    const directory = output();
    await routeToDirectory(input('emails'), { router, directory, ...byKey() });
    const files = readdirSync(directory).filter((file) => file !== 'manifest.json');
    const shards = router.routeMany(emails);
    expect(files).toHaveLength(12);
    for (const [shard, file] of files.entries()) {
      expect(await read(join(directory, file), 'key')).toEqual(emails.filter((_, i) => shards[i] === shard));
    }
    expect(await auditFiles(directory, { router, ...byKey() })).toMatchObject({ rows: ROWS, fit: ROWS });
  });

  it('counts', async () => {
    const { total, perShard } = await countShards(input('emails'), { router, ...byKey() });
    const expected = new Float64Array(12);
    for (const shard of router.routeMany(emails)) expected[shard]++;
    expect([total, perShard]).toEqual([ROWS, expected]);
  });

  it('hash', async () => {
    const out = output();
    await hashFile(input('emails'), { out, seed: 7n, format: 'hex', ...byKey() });
    const hashes = Array.from(xxh64Many(emails, { seed: 7n }), (hash) => hash.toString(16).padStart(16, '0'));
    expect(await read(out, 'hash')).toEqual(hashes);
  });

  it('plan', async () => {
    const [from, to] = [placementOf(kafka), placementOf(router.with({ shards: 13 }))];
    const { total, moved, flows } = await planFiles(input('emails'), { from, to, ...byKey() });
    const [before, after] = [kafka.routeMany(emails), to.routing.routeMany(emails)];
    expect([total, moved]).toEqual([ROWS, emails.filter((_, i) => before[i] !== after[i]).length]);
    for (const flow of flows) {
      const count = emails.filter((_, i) => `${before[i]} ${after[i]}` === `${flow.from} ${flow.to}`).length;
      expect(flow.count).toBe(count);
    }
  });

  it('audit', async () => {
    const out = output();
    const found = await auditFiles(input('placed'), { router: kafka, out, ...byKey() });
    expect(found).toMatchObject({ rows: ROWS, fit: ROWS - 30, misplaced: 30, inOtherPairs: 0 });
    expect(found.pairs.reduce((sum, { count }) => sum + count, 0)).toBe(30);
    const misplaced = emails.filter((_, i) => i % 100 === 7);
    // Lines have the key in front here.
    if (name === 'lines') expect(linesOf(out).map((line) => line.split('\t')[0])).toEqual(misplaced);
    else expect(await read(out, 'key')).toEqual(misplaced);
    if (name === 'lines') return;
    const elsewhere = misplaced.map((key) => kafka.route(key));
    expect(await read(out, 'belongs')).toEqual(elsewhere.map(String));
    expect(await read(out, 'is')).toEqual(elsewhere.map((shard) => String((shard + 1) % 12)));
  });

  it('detect', async () => {
    const { verdict, allRows, foreign } = await detectFiles(input('placed'), byKey());
    expect([verdict?.options, allRows]).toEqual(['--as kafka --shards 12', ROWS]);
    expect(foreign.map(({ row }) => row)).toEqual(emails.flatMap((_, i) => (i % 100 === 7 ? [i + 1] : [])));
  });

  it('decode', async () => {
    const out = output();
    const { guess } = await decodeFile(input('ids'), {
      out,
      layout: layouts.discord,
      ...byKey(),
    });
    expect(guess).toBe(undefined);
    const { timestamp, worker } = layouts.discord.unpackMany(BigUint64Array.from(ids, BigInt)) as {
      [field: string]: ArrayLike<unknown>;
    };
    if (name === 'lines') {
      const rows = linesOf(out)
        .slice(1)
        .map((line) => line.split('\t').slice(0, 2));
      expect(rows).toEqual(ids.map((id, i) => [id, String(timestamp[i])]));
      return;
    }
    expect(await read(out, 'timestamp')).toEqual(Array.from(timestamp, String));
    expect(await read(out, 'worker')).toEqual(Array.from(worker, String));
  });

  describe('the first bad row ends', () => {
    const int64 = partitioner('kafka', { partitions: 12, key: 'int64' });
    const [u64s, int64s, shards] = [
      'a decimal integer from -2^63 to 2^64 - 1, got "7x"',
      'a decimal integer from -2^63 to 2^63 - 1, got "7x"',
      'a shard, an integer from 0 to 2147483646, got "3x"',
    ];
    const asU64s = () => ({ router, keys: 'u64', ...byKey() }) as const;
    const bySystem = () => ({ router: int64, ...byKey() });
    const sides = { from: placementOf(int64), to: placementOf(router) };
    const { discord: layout } = layouts;
    it.each<[job: string, expected: string, rows: string, run: (file: string) => Promise<unknown>]>([
      ['route', u64s, 'bad-keys', (file) => routeFile(file, { ...asU64s(), out: output() })],
      ['route by a system', int64s, 'bad-keys', (file) => routeFile(file, { ...bySystem(), out: output() })],
      ['directory', int64s, 'bad-keys', (file) => routeToDirectory(file, { ...bySystem(), directory: output() })],
      ['counts', u64s, 'bad-keys', (file) => countShards(file, asU64s())],
      ['hash', u64s, 'bad-keys', (file) => hashFile(file, { keys: 'u64', out: output(), ...byKey() })],
      ['plan', int64s, 'bad-keys', (file) => planFiles(file, { ...sides, ...byKey() })],
      ['audit', int64s, 'bad', (file) => auditFiles(file, bySystem())],
      ['audit with a file', shards, 'lost', (file) => auditFiles(file, { router, out: output(), ...byKey() })],
      ['detect', shards, 'lost', (file) => detectFiles(file, byKey())],
      ['decode', u64s, 'bad-keys', (file) => decodeFile(file, { layout, out: output(), ...byKey() })],
    ])('%s', async (_, expected, rows, run) => {
      const file = input(rows);
      const error = (await run(file).catch((thrown) => thrown)) as Error;
      const line = name === 'csv' ? 2502 : 2501; // it has a header
      const place = name === 'parquet' ? `${file}: row ${line}` : `${file}:${line}`;
      expect(error).toBeInstanceOf(RangeError);
      expect(error.message).toBe(`${place}: expected ${expected}`);
      const [, got] = expected.split(', got ');
      const told = {
        code: 'ERR_OUT_OF_RANGE',
        file,
        got: JSON.parse(got),
        [name === 'parquet' ? 'row' : 'line']: line,
      };
      expect(error).toMatchObject(told);
    });
  });
});

describe.each(RECORDS)('keys that are NULL, over $name', ({ name, records, write, read }) => {
  const rows = emails.slice(0, 100).map((email, i): Row => ({ key: i % 7 === 3 ? null : email, id: String(i) }));
  const file = join(temporaryFolder(afterAll), `rows.${name}`);
  const expected = rows.map(({ key }) => (key === null ? 5 : router.route(key)));
  beforeAll(() => write(file, rows));

  it('go to a shard that is given', async () => {
    const out = join(temporaryFolder(), 'out.parquet');
    await routeFile(file, { router, out, records: records('key'), missingKey: 5 });
    expect(await read(out, 'shard')).toEqual(expected.map(String));
  });

  it('are refused otherwise', async () => {
    const out = join(temporaryFolder(), 'out.parquet');
    const line = name === 'csv' ? 5 : 4;
    const error = await routeFile(file, { router, out, records: records('key') }).catch((thrown) => thrown);
    expect(error).toMatchObject({ isKeyMissing: true, field: 'key', [name === 'parquet' ? 'row' : 'line']: line });
    await expect(hashFile(file, { out, records: records('key') })).rejects.toThrow(RangeError);
  });

  it('end every job that has no rule for them', async () => {
    const folder = temporaryFolder();
    const placed = join(folder, `placed.${name}`);
    await write(
      placed,
      rows.map((row) => ({ ...row, shard: '1' })),
    );
    const how = { records: records('key'), placement: placementOf(router) };
    const sides = { from: how.placement, to: placementOf(kafka), records: how.records };
    const where = name === 'csv' ? ':5' : name === 'ndjson' ? ':4' : ': row 4';
    for (const run of [
      () => countShards(placed, how),
      () => planFiles(placed, sides),
      () => auditFiles(placed, how),
      () => detectFiles(placed, { records: how.records }),
      () => hashFile(placed, { records: how.records, out: join(folder, 'out.parquet') }),
    ]) {
      await expect(run()).rejects.toThrow(`${placed}${where}: key: expected a key other than NULL, got null`);
    }
  });

  it.each([
    ['64 bits', ids[0], { layout: layouts.discord }],
    ['128 bits', '01890a5d-ac96-774b-bcce-b302099a8057', { text: 'uuid' }],
  ] as const)('are not ids of %s', async (_, id, how) => {
    const folder = temporaryFolder();
    const file = join(folder, `ids.${name}`);
    await write(file, [{ key: id }, { key: null }]);
    const where = name === 'csv' ? ':3' : name === 'ndjson' ? ':2' : ': row 2';
    await expect(
      decodeFile(file, { ...how, records: records('key'), out: join(folder, 'out.parquet') }),
    ).rejects.toThrow(`${file}${where}: key: expected a key other than NULL, got null`);
  });

  it('are named among several columns', async () => {
    const clickhouse = partitioner('clickhouse', { shards: 12, hash: 'sipHash64', key: ['text', 'text'] });
    for (const router of [clickhouse, new Router({ shards: 12 })]) {
      if (name === 'parquet' && router instanceof Router) continue; // it takes one column there
      const where = name === 'csv' ? ':5' : name === 'ndjson' ? ':4' : ': row 4';
      await expect(countShards(file, { router, records: records(['id', 'key']) })).rejects.toThrow(
        `${file}${where}: key: expected a key other than NULL, got null`,
      );
    }
  });

  it('are hashed as a system does that has a rule for them', async () => {
    const postgres = partitioner('postgres', { modulus: 12, key: ['text', 'int64'] });
    const out = join(temporaryFolder(), 'out.parquet');
    await routeFile(file, { router: postgres, out, records: records(['key', 'id']) });
    const shards = postgres.routeMany([
      rows.map(({ key }) => key),
      BigInt64Array.from(rows, ({ id }) => BigInt(id ?? 0)),
    ]);
    expect(await read(out, 'shard')).toEqual(Array.from(shards, String));
  });
});

it('two Routings of your own are not the same because they have the same options', async () => {
  const file = join(temporaryFolder(), 'keys');
  await lines.write(file, [{ key: 'a' }, { key: 'b' }]);
  const own = (shard: number) => ({
    shards: 4,
    route: () => shard,
    routeMany: (keys: unknown) => new Uint32Array((keys as { offsets: Uint32Array }).offsets.length - 1).fill(shard),
    toJSON: () => ({}),
  });
  const [from, to] = [1, 2].map((shard) => placementOf(own(shard)));
  expect(await planFiles(file, { from, to })).toMatchObject({ total: 2, moved: 2 });
});
