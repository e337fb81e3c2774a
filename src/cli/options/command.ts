import { Command } from 'commander';
import { MAX_THREADS } from '../../arguments.js';
import type { Compression, Encoding } from '../../node/index.js';
import { paint } from '../terminal.js';
import { epoch, KEYS, shardList, shardOrReject } from './input.js';
import {
  asSystem,
  COUNTS,
  KINDS,
  kindsOfKeys,
  SERVERS,
  STRATEGIES,
  SYSTEM_LINES,
  SYSTEM_WIDTH,
  systemsWith,
} from './systems.js';
import {
  integer,
  integerFrom,
  oftenOneOf,
  oneOf,
  optionOf,
  path,
  seed,
  withExamples,
  withNote,
  withNotes,
} from './usage.js';

const OUT = 'write to this file, which replaces one of that name when it is complete (default: -, standard output)';

const REJECTS =
  'write malformed rows to this file, which replaces one of that name, and continue; each as LINE, tab, REASON, tab, ROW, with FILE:LINE for several inputs';

/** A command, with the options that several of ours have. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** How inputs are read. */
  readOptions(): this {
    return this.encodingOption().option(
      '--threads <n>',
      'the number of threads for inputs of 8 MiB and more, 1 to 256 (default: as many as save time, at most one for each core)',
      integerFrom(1, MAX_THREADS),
    );
  }

  encodingOption(): this {
    return this.option(
      '--encoding <name>',
      'how the input is written, if not in UTF-8 or in UTF-16 with a byte order mark: utf-16, latin1 (Windows-1252)',
      oneOf<Encoding>(['utf-8', 'utf-16', 'latin1']),
    );
  }

  /**
   * Whether the input has records, and where their key is.
   * @param asColumn the default name of the added column, in quotes; undefined if the command does not add exactly one
   */
  rowOptions(asColumn?: string): this {
    const paths = this.name() === 'intern' ? 'in JSON' : 'in JSON and in Parquet'; // intern does not read Parquet
    const several = this.name() === 'decode' ? '' : '; repeat it for a key of several values'; // an id is one value
    this.option('--csv', 'the input is CSV, and --key names the key')
      .option('--tsv', 'like --csv, with tabs between fields')
      .option('--ndjson', 'the input is a JSON object on each line, and --key names the key')
      .option(
        '--key <name>',
        `the name of a column, or its number from 1 with --no-header; ${paths}, a path of names with dots${several}`,
        (name: string, names: string[] = []) => [...names, name],
      )
      .option('--delimiter <c>', 'the character between the fields of CSV (default: ",")')
      .option('--quote <name>', 'none: a quote in CSV or TSV is a character like any other', oneOf(['none']))
      .option('--escape <c>', 'the character that makes the next one data, such as \\ in dumps of MySQL and PostgreSQL')
      .option('--no-header', 'the table has no header: its first record is a row, too')
      .option('--ragged', 'records may have more or fewer fields than the first one; a missing key is empty');
    if (this.name() !== 'decode') {
      this.option(
        '--null',
        'a key ends with NUL, as find -print0 writes it, and may have line breaks; so do rows with keys',
      );
    }
    if (asColumn === undefined) return this;
    return this.option('--as-column <name>', `the name of the column that is added to records (default: ${asColumn})`);
  }

  missingKeyOption(): this {
    return this.option(
      '--missing-key <shard>',
      'the shard of records whose key is absent or null, or in CSV the escape character and an N; reject: they are malformed (default: reject, unless the system of --as has a rule for NULL)',
      shardOrReject,
    );
  }

  /**
   * The column that says where a row is.
   * @param named the options with which rows are on nodes
   * @param more what else it is, after the usual meaning
   */
  shardColumnOption(named: string, more = ''): this {
    const byDefault = `(default: "shard", or "node" with ${named})`;
    const what = `the column of records that says their shard, or its path in JSON${more} ${byDefault}`;
    return this.option('--shard-column <name>', what);
  }

  shardsOption(): this {
    return this.option(
      '--shards <n>',
      'the number of shards, 1 to 2147483647 (required, except with --map, --servers, --as redis or --as couchbase)',
      integer,
    ).countOptions();
  }

  /** What systems call the number of shards. */
  countOptions(): this {
    for (const count of COUNTS) {
      this.option(`${optionOf(count)} <n>`, `the same as --shards, with --as ${systemsWith(count)}`, integer);
    }
    return this;
  }

  serversOption(): this {
    return this.option('--servers <file>', `the servers of --as ketama or nginx, ${SERVERS}`, path);
  }

  /** @param what what the command does by the map */
  mapOptions(what: string): this {
    return this.option('--map <file>', what, path).option(
      '--down <list>',
      'shards that get no keys for now, such as 3,7',
      shardList,
    );
  }

  /** What a key is, and how its shard is found. */
  routingOptions(): this {
    const what = `how a hash becomes a shard: ${STRATEGIES.join(', ')} (default: "jump")`;
    this.option('--strategy <name>', what, oneOf(STRATEGIES))
      .option(
        '--keys <kind>',
        `${KEYS}; with --as a kind that the system has, one of ${KINDS.join(', ')}; or a list of kinds, one for each --key, for systems that hash several columns, such as postgres, clickhouse, spark, hive and mysql (default: "text"; in Parquet the kind of the column, but without --as integers need it)`,
        kindsOfKeys,
      )
      .option('--hash <name>', 'xxh64; none: a u64 key is its own hash (default: "xxh64")', oneOf(['xxh64', 'none']))
      .option('--seed <n>', 'the seed of the hash, modulo 2^64 (default: 0)', seed)
      .option(
        '--as <system>',
        'place keys as another system does (see the list below); shards are then its partitions, buckets or shards',
        asSystem,
      );
    return withNotes(this, (help) => [
      paint('Systems for --as, and what they place:', 'heading'),
      ...SYSTEM_LINES.map(([name, line]) => help.formatItem(name, SYSTEM_WIDTH, line, help)),
    ]);
  }

  /**
   * @param names the layouts that help lists
   * @param otherwise what happens without the option, for help
   * @param byDefault the layout that is used by default
   */
  layoutOptions(names: readonly string[], otherwise: string, byDefault?: string): this {
    const known = `${names.join(', ')}, or fields such as timestamp:41,shard:10,sequence:12`;
    return this.option('--layout <name|spec>', known + otherwise, oftenOneOf(names), byDefault).option(
      '--epoch <date>',
      'the time at which the timestamp is 0, as a date or in Unix milliseconds',
      epoch,
    );
  }

  outOption(): this {
    return this.option('--out <file>', OUT, path);
  }

  /** For rows, which can be many. */
  compressOption(): this {
    const what = `compress what --out${this.name() === 'route' ? ' or --out-dir' : ''} gets; zstd needs Node.js 22.15, 23.8 or later, except in Parquet`;
    return this.option('--compress <name>', what, oneOf<Compression>(['gzip', 'zstd']));
  }

  tableOption(): this {
    const what = 'tsv: a table with a header; json: an object on each line';
    return this.option('--format <name>', what, oneOf(['tsv', 'json']), 'tsv');
  }

  rejectsOption(): this {
    return this.option('--rejects <file>', REJECTS, path).option(
      '--max-rejects <n>',
      'end the command when more rows than this are malformed (default: any number)',
      integer,
    );
  }

  note(text: string): this {
    return withNote(this, text);
  }

  /** Ends the help. */
  examples(...lines: readonly string[]): this {
    return withExamples(this, ...lines);
  }
}
