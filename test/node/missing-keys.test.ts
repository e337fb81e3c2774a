import { expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { placementOf, ShardMap } from '../../src/map/index.js';
import { auditFiles, type RecordFormat, type RejectedLine } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { file, linesOf } from './partition-samples.js';

const router = new Router({ shards: 12 });
const KEYS = Array.from({ length: 40 }, (_, i) => (i % 4 === 1 || i === 0 ? undefined : `key${i}`));
const MISSING = KEYS.filter((key) => key === undefined).length;

interface Form {
  readonly records: RecordFormat;
  readonly column: string | number;
  readonly header: readonly string[];
  /** @param at undefined: NULL */
  row(key: string | undefined, at: unknown): string;
}

const N = '\\N';
const FORMS: readonly (readonly [name: string, form: Form])[] = [
  [
    'CSV',
    {
      records: { format: 'csv', key: 'k', escape: '\\' },
      column: 'at',
      header: ['k,x,at'],
      row: (key = N, at = N) => `${key},,${at}`,
    },
  ],
  [
    'CSV without a header, in which the shard comes first',
    {
      records: { format: 'csv', key: 3, header: false, escape: '\\' },
      column: 2,
      header: [],
      row: (key = N, at = N) => `,"${at}",${key}`,
    },
  ],
  [
    'CSV with two keys',
    {
      records: { format: 'tsv', key: ['k', 'l'], quote: 'none', escape: '\\' },
      column: 'at',
      header: ['at\tl\tk'],
      row: (key = N, at = N) => `${at}\t1\t${key}`,
    },
  ],
  [
    'NDJSON',
    {
      records: { format: 'ndjson', key: 'k' },
      column: 'a.t',
      header: [],
      row: (key, at) => JSON.stringify({ k: key, a: { t: at ?? null } }),
    },
  ],
  [
    'NDJSON with null, in which the shard comes first',
    {
      records: { format: 'ndjson', key: 'k' },
      column: 'at',
      header: [],
      row: (key = null as never, at = null) => JSON.stringify({ at, k: key }),
    },
  ],
];

onBothBackends('records without a key', () => {
  it.each(FORMS)('belong in an audit to the shard that is named: %s', async (_, form) => {
    const { records, column: shardColumn, header, row } = form;
    const options = { router, records, shardColumn };
    const whole = (missing: number) => file(linesOf([...header, ...KEYS.map((key) => row(key, key ? 1 : missing))]));
    const keyed = file(linesOf([...header, ...KEYS.flatMap((key) => (key ? [row(key, 1)] : []))]));
    const { rows, fit, pairs } = await auditFiles(keyed, options);
    expect(rows).toBe(KEYS.length - MISSING);
    const all = { rows: KEYS.length, inOtherPairs: 0 };
    expect(await auditFiles(whole(7), { ...options, missingKey: 7 })).toMatchObject({
      ...all,
      fit: fit + MISSING,
      pairs,
    });
    const other = await auditFiles(whole(6), { ...options, missingKey: 7 });
    expect(other).toMatchObject({ ...all, fit, misplaced: KEYS.length - fit });
    expect(other.pairs).toContainEqual({ from: '6', to: '7', count: MISSING });
  });

  it.each(FORMS)('are named without such a shard: %s', async (_, form) => {
    const { records, column: shardColumn, header, row } = form;
    const rejected: RejectedLine[] = [];
    const options = { router, records, shardColumn, onReject: (one: RejectedLine) => void rejected.push(one) };
    const rows = [row('a', 1), row(undefined, 1), row('b', 1)];
    expect(await auditFiles(file(linesOf([...header, ...rows])), options)).toMatchObject({ rows: 2 });
    expect(rejected).toMatchObject([{ line: header.length + 2, error: { isKeyMissing: true } }]);
  });

  it.each(FORMS)('have to say their shard: %s', async (_, form) => {
    const { records, column: shardColumn, header, row } = form;
    for (const key of ['a', undefined]) {
      const path = file(linesOf([...header, row('a', 1), row(key, undefined)]));
      const error = await auditFiles(path, { router, records, shardColumn, missingKey: 7 }).catch((caught) => caught);
      expect(error).toMatchObject({ name: 'RangeError', line: header.length + 2 });
      expect(error).not.toHaveProperty('isKeyMissing');
      if (records.format !== 'ndjson') expect(error.expected).toBe('a shard other than NULL');
    }
  });

  it('are on the node of the shard, where rows are on nodes', async () => {
    const placement = placementOf(router, ShardMap.create({ shards: 12, nodes: [{ name: 'n' }, { name: 'm' }] }));
    const [missingKey, shardColumn] = [7, 'node'];
    const records = { format: 'ndjson', key: 'k' } as const;
    const rows = ['n', 'm', 'q'].map((node) => JSON.stringify({ node, k: null }));
    const { fit, pairs } = await auditFiles(file(linesOf(rows)), { placement, records, shardColumn, missingKey });
    const belongs = placement.labelOf(7);
    expect(fit).toBe(1);
    expect(pairs).toHaveLength(2);
    expect(pairs.map(({ to }) => to)).toEqual([belongs, belongs]);
  });
});
