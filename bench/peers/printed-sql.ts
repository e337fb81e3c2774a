// The statements of `shardbits sql` for ClickHouse and DuckDB, run there and compared with the library. Other engines are in
// test/engines/sql/.
import {
  LAYOUTS,
  loadKeys,
  type SqlEngine,
  wrongFields,
  wrongHashes,
  wrongNodes,
  wrongShards,
} from '../../test/engines/sql/engine.js';
import type { ClickHouse } from './clickhouse.js';

const SHARDS = [1, 2, 10, 1000, 65536, 2147483647];
const IDS = 1000;

export function inClickHouse(clickhouse: ClickHouse): SqlEngine {
  return {
    dialect: 'clickhouse',
    strategies: ['jump', 'fastrange', 'modulo'],
    seeds: [0n, 42n],
    execute: (statements) => {
      clickhouse.lines(statements);
    },
    column: (query) =>
      clickhouse
        .lines(query)
        .split('\n')
        .slice(0, -1)
        .map((value) => (value === '\\N' ? '' : value.replace(/\\(.)/g, '$1'))),
    types: { text: 'String', bytes: 'String', u64: 'UInt64' },
    tableOptions: ' engine = MergeTree order by n',
    text: (hex) => `unhex('${hex}')`,
    bytes: (hex) => `unhex('${hex}')`,
    u64: (value) => `${value}`,
    us: (time) => `toUnixTimestamp64Micro(toDateTime64(${time}, 6, 'UTC'))`,
    before: "'1900-01-01 00:00:00'",
  };
}

export async function inDuckDb(): Promise<SqlEngine> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return {
    dialect: 'duckdb',
    strategies: ['jump', 'fastrange', 'modulo'],
    seeds: [0n, 42n, 2n ** 64n - 1n],
    execute: async (statements) => {
      await connection.run(statements);
    },
    column: async (query) => {
      const reader = await connection.runAndReadAll(query);
      return reader.getRows().map(([value]) => String(value ?? ''));
    },
    types: { text: 'varchar', bytes: 'blob', u64: 'ubigint' },
    text: (hex) => `decode(from_hex('${hex}'))`,
    bytes: (hex) => `from_hex('${hex}')`,
    u64: (value) => `${value}::ubigint`,
    us: (time) => `epoch_us(${time})`,
    before: "timestamp '1800-01-01'",
  };
}

/** Compares all that the command writes for an engine. */
export async function comparePrinted(
  engine: SqlEngine,
  count: number,
  report: (same: boolean, what: string) => void,
): Promise<void> {
  const { dialect, strategies, seeds } = engine;
  const tell = (wrong: readonly string[], what: string) =>
    report(wrong.length === 0, [`sql --dialect ${dialect}: ${what}`, ...wrong].join('\n  '));
  const keys = await loadKeys(engine, count);
  for (const strategy of strategies) {
    for (const seed of seeds) {
      const wrong = await wrongShards(engine, keys, strategy, seed, seed === 0n ? SHARDS : [1000]);
      tell(wrong, `${count} texts, bytes and u64s, ${strategy}, seed ${seed}`);
    }
  }
  if (dialect !== 'clickhouse') tell(await wrongHashes(engine, keys, seeds), `the hashes of ${count} keys`);
  for (const [name, layout] of LAYOUTS)
    tell(await wrongFields(engine, name, layout, IDS), `${IDS} ids, layout ${name}`);
  tell(await wrongNodes(engine), 'the nodes of a map');
}
