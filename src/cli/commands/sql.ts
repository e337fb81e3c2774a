import { readFileSync } from 'node:fs';
import { namesIn } from '../../arguments.js';
import { DIALECT_NAMES, type DialectName, layoutSql, mapSql, placingSql, routingSql } from '../../engines/sql/index.js';
import { layouts } from '../../index.js';
import { checkOutputs, printAll, withOutput } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { type LayoutOptions, makeLayout, shardList } from '../options/input.js';
import { countIn, MAP, type PlacementOptions, readMap } from '../options/placement.js';
import { type AsSystem, asSystem, kindsOfKeys, makePartitioner, STRATEGIES } from '../options/systems.js';
import { fromOptions, integerFrom, oneOf, path, refuse, required, seed, UsageError } from '../options/usage.js';
import { streams } from '../terminal.js';

const MAX_SHARDS = 2 ** 31 - 1;
const EXAMPLE_SHARDS = 10;

interface SqlOptions extends Partial<LayoutOptions>, Omit<PlacementOptions, 'hash' | 'servers'> {
  dialect: DialectName;
  out?: string;
}

export function define(command: CliCommand): void {
  command
    .description(
      'Write the statements that let a database route keys as a router does. With --layout they read the fields and the time of ids instead, and with --map they load a map into a table. What ClickHouse has no functions for comes as a WebAssembly module in the statements, which is experimental.',
    )
    .option('--dialect <name>', `${DIALECT_NAMES.join(', ')} (required)`, oneOf(DIALECT_NAMES))
    .layoutOptions(namesIn(layouts), '')
    .option('--map <file>', MAP, path)
    .option(
      '--strategy <name>',
      'how a hash becomes a shard: jump, fastrange, modulo (default: "jump"; for spark "modulo")',
      oneOf(STRATEGIES),
    )
    .option('--seed <n>', 'the seed of the hash, modulo 2^64 (default: 0; for spark 42)', seed)
    .option(
      '--shards <n>',
      `the number of shards in the example (default: ${EXAMPLE_SHARDS})`,
      integerFrom(1, MAX_SHARDS),
    )
    .countOptions()
    .option('--down <list>', 'for clickhouse: shards that get no keys for now, such as 3,7', shardList)
    .option(
      '--as <system>',
      'for clickhouse: place keys as another system does, such as kafka or redis (see shardbits route --help)',
      asSystem,
    )
    .option(
      '--keys <kinds>',
      'with --as: the kind of keys, as in shardbits route --help, or a list of those of several columns, such as int64,text',
      kindsOfKeys,
    )
    .outOption()
    .examples(
      'shardbits sql --dialect postgres | psql',
      'shardbits sql --dialect clickhouse --layout discord',
      'shardbits sql --dialect clickhouse --as redis',
      'shardbits sql --dialect clickhouse --as postgres --keys int64,text',
      'shardbits sql --dialect mysql --map map.json --out map.sql',
    )
    .action(sql);
}

async function sql(options: SqlOptions): Promise<void> {
  required(options, '--dialect');
  const { dialect, out, layout, epoch, map: where, as } = options;
  if (dialect !== 'clickhouse') refuse(options, ['down', 'as'], 'requires --dialect clickhouse');
  const count = countIn(options);
  if (layout === undefined) refuse(options, ['epoch'], 'requires --layout');
  if (as === undefined) refuse(options, ['keys'], 'requires --as');
  if (options.keys === 'hex' || options.keys === 'base64') {
    const decode = options.keys === 'hex' ? 'unhex(key)' : 'base64Decode(key)';
    throw new UsageError(
      `--keys: expected a kind of keys in SQL, got "${options.keys}": call the function with ${decode}`,
    );
  }
  for (const other of ['layout', 'map'] as const) {
    if (options[other] !== undefined) {
      refuse(options, ['shards', 'strategy', 'seed', 'down', 'as'], `cannot be combined with --${other}`);
    }
  }
  const texts: Iterable<string>[] = [];
  if (layout !== undefined) {
    const made = makeLayout({ layout, ...(epoch !== undefined && { epoch }) });
    const name = Object.hasOwn(layouts, layout) ? layout : 'id';
    texts.push([fromOptions(() => layoutSql(dialect, made, name))]);
  }
  if (where !== undefined) {
    checkOutputs(options, where === '-' ? [streams().stdin] : [where]);
    texts.push(mapSql(dialect, await readMap(where)));
  }
  if (texts.length === 0) {
    const { shards = EXAMPLE_SHARDS, strategy, seed, down } = options;
    if (as !== undefined) texts.push([await placing(as, options, count)]);
    else texts.push([fromOptions(() => routingSql(dialect, { shards, strategy, seed, down, readModule }))]);
  }
  await withOutput(out, async (print) => {
    for (const pieces of texts) await printAll(pieces, print);
  });
}

/** It lies in dist/, and this command in a folder of dist/. */
function readModule(): Uint8Array {
  return readFileSync(new URL('../clickhouse.wasm', import.meta.url));
}

async function placing(as: AsSystem, options: SqlOptions, count: ReturnType<typeof countIn>): Promise<string> {
  refuse(options, ['strategy', 'seed', 'down'], 'cannot be combined with --as');
  if (as.hasServers)
    throw new UsageError(`--as ${as.system} has servers instead of a number of shards: there is no SQL for it`);
  const shards = count.shards ?? (as.count === undefined ? undefined : EXAMPLE_SHARDS);
  const example = await makePartitioner(as, count.flag, shards, options.keys);
  return fromOptions(() => placingSql(as, example, readModule), {
    'variant.word': { name: '--as' },
    'example.key': { name: '--keys' },
  });
}
