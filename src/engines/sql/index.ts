import { namesIn, wrongValue } from '../../arguments.js';
import type { Layout } from '../../layout/layout.js';
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

export { PLACING_WORDS, placingSql } from './clickhouse/partitioners.js';
export type { DialectName };

const DIALECTS: { readonly [name in DialectName]: Dialect } = { clickhouse, duckdb, postgres, mysql, sqlite, spark };

export const DIALECT_NAMES = Object.keys(DIALECTS) as readonly DialectName[];

interface RoutingOptions {
  readonly strategy?: Strategy | undefined;
  readonly seed?: bigint | undefined;
  /** For the example at the end. */
  readonly shards: number;
  /** For ClickHouse alone. */
  readonly down?: readonly number[] | undefined;
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
 * @throws RangeError if the dialect has no such strategy or seed
 */
export function routingSql(name: DialectName, options: RoutingOptions): string {
  const dialect = DIALECTS[name];
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
 * @throws RangeError if two functions would have one name
 */
export function layoutSql(dialect: DialectName, layout: Layout, name: string): string {
  const { title, functions } = DIALECTS[dialect];
  const fields = layout.places.map((place) => `${place.name}:${place.bits}`).join(',');
  const statements = functions(functionsOf(layout, name, dialect, DIALECTS[dialect]));
  return `-- Ids of ${fields} for ${title}.\n${statements}\n`;
}

/** The statements that put a map into the table `shard_nodes`, in pieces. Copy 0 is the primary. */
export function* mapSql(dialect: DialectName, map: ShardMap): Generator<string> {
  const { title, text, map: table } = DIALECTS[dialect];
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
