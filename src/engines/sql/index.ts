/**
 * SQL that routes keys, reads ids and loads shard maps, for PostgreSQL, MySQL, ClickHouse, DuckDB, SQLite and Spark.
 * @module shardbits/sql
 */

import { checkOneOf, checkRecord, checkString, namesIn, typeName, wrongKind, wrongValue } from '../../arguments.js';
import type { IdLayout } from '../../layout/id-layout.js';
import type { ShardMap } from '../../map/shard-map.js';
import { Router, STRATEGIES } from '../../routing/router.js';
import type { ReadModule } from './clickhouse/module.js';
import { clickhouse } from './dialects/clickhouse.js';
import { duckdb } from './dialects/duckdb.js';
import { mysql } from './dialects/mysql.js';
import { postgres } from './dialects/postgres.js';
import { spark } from './dialects/spark.js';
import { sqlite } from './dialects/sqlite.js';
import { functionsOf } from './layouts.js';
import type { Dialect, DialectName, Strategy } from './types.js';

export type { ReadModule } from './clickhouse/module.js';
export { PLACING_WORDS, placingSql } from './clickhouse/partitioners.js';
export type { DialectName };

const DIALECTS: { readonly [name in DialectName]: Dialect } = { clickhouse, duckdb, postgres, mysql, sqlite, spark };

/** The dialects. */
export const DIALECT_NAMES: readonly DialectName[] = namesIn(DIALECTS);

export interface SqlRoutingOptions {
  /** How a hash becomes a shard: `jump` by default, for Spark `modulo`. */
  readonly strategy?: Strategy | undefined;
  /** The seed of the hash, modulo 2^64: 0 by default, for Spark 42. */
  readonly seed?: bigint | undefined;
  /** The number of shards in the example at the end. */
  readonly shards: number;
  /** Shards that get no keys for now. For ClickHouse alone. */
  readonly down?: readonly number[] | undefined;
  /** Reads the file `shardbits/clickhouse.wasm`, for what ClickHouse has no functions for. */
  readonly readModule?: ReadModule | undefined;
}

function noModule(): never {
  throw new Error('the module for ClickHouse was not given');
}

const INSERT = 'insert into shard_nodes (shard, copy, node) values';
const BATCH = 1000;
const SAMPLE = 'user:42';

/**
 * The statements that make `shard_of` and what it needs.
 * @throws TypeError or RangeError for arguments of the wrong kind or value; RangeError if the dialect has no such strategy or
 *   seed; Error for ClickHouse if it needs the module, and `readModule` is missing
 * @example
 * await client.query(routingSql('postgres', { shards: 64 }));
 */
export function routingSql(name: DialectName, options: SqlRoutingOptions): string {
  const dialect = DIALECTS[checkOneOf('dialect', name, DIALECT_NAMES)];
  checkRecord('options', options);
  const { title, strategies = namesIn(STRATEGIES), seeds } = dialect;
  const { shards, readModule = noModule } = options;
  const routing = {
    strategy: options.strategy ?? strategies[0],
    seed: BigInt.asUintN(64, options.seed ?? seeds?.[0] ?? 0n),
  };
  checkOffered('strategy', routing.strategy, strategies, 'strategies', title);
  if (seeds !== undefined) checkOffered('seed', routing.seed, seeds, 'seeds', title);
  const router = new Router({ ...routing, shards, down: options.down });
  const { down } = router;
  const without = down.length > 0 ? `, down: [${down.join(', ')}]` : '';
  const same = `new Router({ shards, strategy: '${routing.strategy}', seed: ${routing.seed}n${without} })`;
  const example = `-- To check it: select shard_of('${SAMPLE}', ${shards}); gives ${router.route(SAMPLE)}.`;
  return `-- shard_of(key, shards) for ${title}: the shards of ${same}.\n${dialect.routing({ ...routing, down, readModule })}\n\n${example}\n`;
}

function checkOffered<T>(argument: string, value: T, offered: readonly T[], plural: string, title: string): void {
  if (offered.includes(value)) return;
  const what = offered.length > 1 ? plural : argument;
  throw wrongValue(argument, `${offered.join(' or ')}, the ${what} that ${title} has`, value);
}

/**
 * The statements that make functions of the fields and the time of a layout.
 * @param name what the names of the functions begin with
 * @throws TypeError or RangeError for arguments of the wrong kind or value; RangeError if two functions would have one name
 * @example
 * layoutSql('clickhouse', layouts.discord, 'discord');
 */
export function layoutSql(dialect: DialectName, layout: IdLayout, name: string): string {
  const written = DIALECTS[checkOneOf('dialect', dialect, DIALECT_NAMES)];
  if (!Array.isArray(layout?.places)) throw wrongKind('layout', 'a Layout', layout);
  checkString('name', name);
  const fields = layout.places.map((place) => `${place.name}:${place.bits}`).join(',');
  const statements = written.functions(functionsOf(layout, name, dialect, written));
  return `-- Ids of ${fields} for ${written.title}.\n${statements}\n`;
}

/**
 * The statements that put a map into the table `shard_nodes`, in pieces. Copy 0 is the primary.
 * @throws TypeError or RangeError for arguments of the wrong kind or value
 * @example
 * for (const piece of mapSql('mysql', map)) file.write(piece);
 */
export function mapSql(dialect: DialectName, map: ShardMap): Generator<string> {
  const written = DIALECTS[checkOneOf('dialect', dialect, DIALECT_NAMES)];
  if (typeName(map) !== 'ShardMap') throw wrongKind('map', 'a ShardMap', map);
  return rowsOf(written, map);
}

function* rowsOf({ title, text, map: table }: Dialect, map: ShardMap): Generator<string> {
  const { version, shards, replicas, digest } = map;
  const { insert = INSERT, batch = BATCH, end = 'commit;' } = table;
  yield `-- Version ${version} of a map of ${shards} shards, with digest ${digest}, for ${title}.\n${table.begin}\n`;
  const count = shards * replicas;
  const names = new Map(map.nodes.map(({ name }) => [name, text(name)]));
  for (let shard = 0, row = 0; shard < shards; shard++) {
    for (const [copy, node] of map.nodesOf(shard).entries()) {
      const isLast = ++row % batch === 0 || row === count;
      const before = (row - 1) % batch === 0 ? `${insert}\n` : '';
      yield `${before}  (${shard}, ${copy}, ${names.get(node)})${isLast ? ';' : ','}\n`;
    }
  }
  yield end === '' ? '' : `${end}\n`;
}
