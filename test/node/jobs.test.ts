import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planReshard, Router, xxh64 } from '../../src/index.js';
import { leastMoved, placementOf, ShardMap } from '../../src/map/index.js';
import {
  auditFiles,
  countShards,
  detectFiles,
  hashFile,
  type LineJobOptions,
  planFiles,
  type RejectedLine,
  routeToDirectory,
} from '../../src/node/index.js';
import { type Partitioner, partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';

const KEYS = Array.from({ length: 1000 }, (_, i) => `user:${i}`);
const CSV = { format: 'csv', key: 'k' } as const;
const NDJSON = { format: 'ndjson', key: 'k' } as const;
const router = new Router({ shards: 12 });
const map = ShardMap.create({ shards: 12, nodes: [{ name: 'a' }, { name: 'b', weight: 2 }] });
const onNodes = placementOf(router, map);

/** The same keys in every format, each with more columns of text. */
function inputs(more: (key: string) => { readonly [name: string]: string | number } = () => ({})) {
  const rows = KEYS.map((key) => ({ k: key, ...more(key) }));
  const names = Object.keys(rows[0]);
  const csv = [names, ...rows.map((row) => Object.values(row))].map((cells) => `${cells.join(',')}\n`).join('');
  return [
    ['CSV', csv, { records: CSV }],
    ['NDJSON', rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { records: NDJSON }],
  ] as const;
}

const LINES = ['lines', KEYS.map((key) => `${key}\n`).join(''), {}] as const;
const stream = (text: string) => Readable.from([Buffer.from(text)]);

/** A file that is written, and one that is not there yet. */
function files(text = '') {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'in');
  writeFileSync(path, text);
  return { path, folder, out: join(folder, 'out'), written: () => readFileSync(join(folder, 'out'), 'utf8') };
}

describe('hashFile', () => {
  it.each([LINES, ...inputs()])('writes the hashes of %s', async (_, text, options) => {
    const { path, out, written } = files(text);
    await expect(hashFile(path, { ...options, out, seed: 7n, format: 'dec' })).resolves.toEqual({
      keys: KEYS.length,
      bytes: Buffer.byteLength(text),
    });
    const hashes = written().match(/\d{10,}/g);
    expect(hashes).toEqual(KEYS.map((key) => String(xxh64(key, 7n))));
  });

  it('adds a column to records, and goes on after malformed ones', async () => {
    const rejected: RejectedLine[] = [];
    const { out, written } = files();
    const job = { records: CSV, out, asColumn: 'h', onReject: (row: RejectedLine) => void rejected.push(row) };
    await expect(hashFile(stream('k,b\nx,1\nx"y,2\nz,3\n'), job)).resolves.toMatchObject({ keys: 2 });
    const hex = (key: string) => xxh64(key).toString(16).padStart(16, '0');
    expect(written()).toBe(`k,b,h\nx,1,${hex('x')}\nz,3,${hex('z')}\n`);
    expect(rejected).toMatchObject([{ file: '-', line: 3 }]);
  });

  it('refuses what does not fit together, before a file is made', async () => {
    const { folder, path, out } = files('a\n');
    for (const [options, error] of [
      [{ asColumn: 'h' }, { argument: 'asColumn' }],
      [{ format: 'base62' }, { argument: 'format' }],
      [{ seed: 7 }, { argument: 'seed' }],
      [{ router }, { argument: 'options', got: 'router' }],
    ] as const) {
      await expect(hashFile(path, { out, ...(options as object) })).rejects.toMatchObject(error);
    }
    expect(readdirSync(folder)).toEqual(['in']);
  });
});

describe('countShards', () => {
  it.each([LINES, ...inputs()])('counts the keys of each shard of %s', async (_, text, options) => {
    const expected = new Float64Array(12);
    for (const shard of router.routeMany(KEYS)) expected[shard]++;
    const { path } = files(text);
    for (const how of [{ router }, { placement: placementOf(router) }, { placement: onNodes }]) {
      await expect(countShards(path, { ...options, ...how })).resolves.toEqual({
        total: KEYS.length,
        perShard: expected,
      });
    }
  });

  it('gives records without a key to the shard that is named', async () => {
    const options = { router, records: NDJSON, missingKey: 3 };
    const { perShard } = await countShards(stream('{"k":null}\n{}\n'), options);
    expect(perShard[3]).toBe(2);
  });

  it('refuses more shards than it counts', async () => {
    const many = new Router({ shards: 2 ** 24 + 1 });
    await expect(countShards(stream(''), { router: many })).rejects.toThrow('at most 16777216 shards');
  });
});

/** The flows between labels, in another way. */
function flowsBy(before: (key: string) => string, after: (key: string) => string) {
  const counts: { [flow: string]: number } = {};
  for (const key of KEYS) {
    const [from, to] = [before(key), after(key)];
    if (from !== to) counts[`${from} ${to}`] = (counts[`${from} ${to}`] ?? 0) + 1;
  }
  return counts;
}

const counted = (flows: readonly { from: string; to: string; count: number }[]) =>
  Object.fromEntries(flows.map(({ from, to, count }) => [`${from} ${to}`, count]));

describe('planFiles', () => {
  it.each([
    LINES,
    ...inputs(),
  ])('counts what moves between routers, as planReshard does: %s', async (_, text, options) => {
    const next = router.with({ shards: 13, strategy: 'modulo' });
    const [from, to] = [placementOf(router), placementOf(next)];
    const { total, moved, ideal, flows } = planReshard(KEYS, router, next);
    const plan = await planFiles(files(text).path, { ...options, from, to });
    expect(plan).toMatchObject({ total, moved, least: ideal });
    expect(plan.flows).toEqual(flows.map((flow) => ({ ...flow, from: String(flow.from), to: String(flow.to) })));
  });

  it('counts what moves between nodes, servers and shards', async () => {
    const next = map.with({ nodes: [...map.nodes, { name: 'c' }] });
    const ring = placementOf({ servers: [{ name: 'b' }, { name: 'a', weight: 3 }] });
    const plain = placementOf(partitioner('kafka', { partitions: 5 }));
    for (const [from, to] of [
      [onNodes, placementOf(router, next)],
      [placementOf(new Router({ shards: 7 })), onNodes],
      [ring, onNodes],
      [plain, ring],
    ]) {
      const label = (placement: typeof from) => (key: string) => placement.labelOf(placement.routing.route(key));
      const plan = await planFiles(stream(LINES[1]), { from, to });
      const isMixed = (from.labels === undefined) !== (to.labels === undefined);
      expect(plan.total).toBe(KEYS.length);
      expect(plan.least).toBeCloseTo(KEYS.length * leastMoved(from, to), 8);
      expect(counted(plan.flows)).toEqual(flowsBy(label(from), label(to)));
      expect(plan.moved).toBe(isMixed ? KEYS.length : plan.flows.reduce((sum, { count }) => sum + count, 0));
    }
  });

  it('writes the keys that move, with where from and where to', async () => {
    const to = placementOf(router.with({ shards: 13 }));
    const { folder, out, written } = files();
    await planFiles(stream(LINES[1]), { from: onNodes, to: placementOf(router), outRows: out });
    expect(written().split('\n')[0]).toBe(
      `user:0\t${onNodes.labelOf(router.route('user:0'))}\t${router.route('user:0')}`,
    );
    const records = join(folder, 'records');
    const plan = await planFiles(stream(inputs()[0][1]), {
      from: placementOf(router),
      to,
      records: CSV,
      outRows: records,
    });
    const [header, ...rows] = readFileSync(records, 'utf8').trimEnd().split('\n');
    expect(header).toBe('k,from,to');
    expect(rows).toHaveLength(plan.moved);
    for (const row of rows) {
      const [key, before, after] = row.split(',');
      expect([before, after]).toEqual([router.route(key), to.routing.route(key)].map(String));
    }
  });

  it('reads the integers of a system as the u64s of a Router beside it', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => BigInt(i - 50) * 12_345_678_901n);
    const kafka: Partitioner<bigint> = partitioner('kafka', { partitions: 12, key: 'int64' });
    const options = { from: placementOf(kafka), to: placementOf(router) };
    const { flows } = await planFiles(stream(ids.join('\n')), options);
    const expected: { [flow: string]: number } = {};
    for (const id of ids) {
      const [from, to] = [kafka.route(id), router.route(BigInt.asUintN(64, id))];
      if (from !== to) expected[`${from} ${to}`] = (expected[`${from} ${to}`] ?? 0) + 1;
    }
    expect(counted(flows)).toEqual(expected);
  });
});

describe('auditFiles', () => {
  const other = new Router({ shards: 15, seed: 1n });
  const isAt = (key: string) => (key.endsWith('7') ? other.route(key) : router.route(key));
  const misplaced = KEYS.filter((key) => isAt(key) !== router.route(key));
  const expected = flowsBy(
    (key) => String(isAt(key)),
    (key) => String(router.route(key)),
  );

  it.each([
    ['lines', KEYS.map((key) => `${isAt(key)}\t${key}\n`).join(''), {}] as const,
    ...inputs((key) => ({ shard: isAt(key) })),
  ])('finds the rows that are in another shard: %s', async (_, text, options) => {
    const { path, out, written } = files(text);
    const { pairs, ...found } = await auditFiles(path, { ...options, router, out });
    const { length } = misplaced;
    expect(found).toEqual({ rows: 1000, fit: 1000 - length, misplaced: length, inOtherPairs: 0 });
    expect(counted(pairs)).toEqual(expected);
    expect(written().match(/user:\d+/g)).toEqual(misplaced);
  });

  it('takes the names of nodes, also of those that the map does not have', async () => {
    const nodeOf = (key: string) => onNodes.labelOf(router.route(key));
    const node = (key: string) => (key.endsWith('77') ? 'elsewhere' : nodeOf(key));
    for (const [, text, options] of inputs((key) => ({ node: node(key) }))) {
      const { pairs, misplaced } = await auditFiles(stream(text), { ...options, placement: onNodes });
      expect(misplaced).toBe(10);
      expect(counted(pairs)).toEqual(flowsBy(node, nodeOf));
    }
  });

  it('reads directories as routeToDirectory writes them', async () => {
    const { folder } = files();
    const directory = join(folder, 'shards');
    await routeToDirectory(stream(LINES[1]), { router, directory });
    await expect(auditFiles(directory, { router })).resolves.toMatchObject({ rows: 1000, fit: 1000, pairs: [] });
    const { pairs } = await auditFiles(directory, { router: new Router({ shards: 11 }) });
    expect(new Set(pairs.map(({ from }) => from))).toEqual(new Set(['11']));
    mkdirSync(join(folder, 'nodes'));
    writeFileSync(join(folder, 'nodes', 'a.txt'), LINES[1]);
    const onA = await auditFiles(join(folder, 'nodes'), { placement: onNodes });
    expect(onA.pairs).toEqual([{ from: 'a', to: 'b', count: onA.misplaced }]);
    await expect(auditFiles([directory, join(folder, 'in')], { router })).rejects.toMatchObject({ argument: 'input' });
  });
});

describe('detectFiles', () => {
  const kafka = partitioner('kafka', { partitions: 12 });
  const isAt = (key: string) => (key.endsWith('77') ? 0 : kafka.route(key));
  const foreign = KEYS.flatMap((key, i) => (isAt(key) === kafka.route(key) ? [] : [i + 1]));

  it.each([
    ['lines', KEYS.map((key) => `${isAt(key)}\t${key}\n`).join(''), {}, 0] as const,
    ...inputs((key) => ({ bucket: isAt(key) })).map(
      ([name, text, options]) => [name, text, { ...options, shardColumn: 'bucket' }, name === 'CSV' ? 1 : 0] as const,
    ),
  ])('says who placed rows, and which others did not: %s', async (_, text, options, header) => {
    const { path } = files(text);
    const found = await detectFiles(path, options);
    expect(found).toMatchObject({ rows: 1000, allRows: 1000, shards: 12, foreignCount: foreign.length });
    expect(found.verdict?.routing.toJSON()).toEqual(kafka.toJSON());
    expect(found.foreign).toEqual(foreign.map((row) => ({ row, file: path, line: row + header })));
  });

  it('counts rows that are refused', async () => {
    const rejected: number[] = [];
    const text = KEYS.map((key) => `${isAt(key)}\t${key}\n`).join('');
    const onReject = ({ line }: RejectedLine) => void rejected.push(line);
    const found = await detectFiles(stream(`no tab\n${text}`), { onReject });
    expect(rejected).toEqual([1]);
    expect(found.foreign.map(({ row }) => row)).toEqual(foreign.map((row) => row + 1));
  });

  it('tries rings of servers', async () => {
    const servers = [{ name: 's1' }, { name: 's2', weight: 2 }];
    const ring = placementOf({ servers, system: 'nginx' });
    const rows = KEYS.map((key) => `${ring.labelOf(ring.routing.route(key))}\t${key}\n`).join('');
    const { verdict } = await detectFiles(stream(rows), { servers });
    expect(verdict?.routing.toJSON()).toEqual(ring.routing.toJSON());
  });
});

it('every job gives a new object for progress each time, and can be ended by a signal', async () => {
  const text = KEYS.map((key) => `${router.route(key)}\t${key}\n`)
    .join('')
    .repeat(40);
  type More = Pick<LineJobOptions, 'onProgress' | 'signal'>;
  const options = (more: More) => ({ router, placement: undefined, ...more });
  for (const run of [
    (more: More) => countShards(files(text).path, options(more)),
    (more: More) => hashFile(files(text).path, { ...more, out: files().out }),
    (more: More) => planFiles(files(text).path, { ...more, from: onNodes, to: placementOf(router) }),
    (more: More) => auditFiles(files(text).path, options(more)),
    (more: More) => detectFiles(files(text).path, more),
  ]) {
    const seen: object[] = [];
    const ending = new AbortController();
    const onProgress = (progress: object) => {
      seen.push(progress);
      if (seen.length === 2) ending.abort();
    };
    await expect(run({ onProgress, signal: ending.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen[0]).not.toEqual(seen[1]);
  }
});
