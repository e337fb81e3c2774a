import { auditFiles, type FilesAudit, filesOfShards } from '../../node/index.js';
import { checkOutputs, number, printAll, runJob } from '../io/output.js';
import { flowLines, inJson, type PlacedFlow, percentOf, withNumbers } from '../io/reports.js';
import type { CliCommand } from '../options/command.js';
import {
  checkParquetOut,
  filesIn,
  inputsOf,
  missingKeyHint,
  type RowOptions,
  shardColumnOf,
  sourcesOf,
} from '../options/input.js';
import { keyReading, MAP, type PlacementOptions, placementFor } from '../options/placement.js';
import { fromOptions, Negative, path, refuse } from '../options/usage.js';
import { inLines, print, say, sayText } from '../terminal.js';

export function define(command: CliCommand): void {
  command
    .description(
      'Find the rows that are in another shard, or on another node, than a mapping puts them. A row is SHARD, tab, KEY, as route writes it, or a record, or one of Parquet. For a directory, the shard is in the names: of files such as 07.csv, as route --out-dir writes them, of directories such as shard=3, as Hive writes them, or of the files of buckets that Spark, Hive and Trino write. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file|dir...]')
    .shardsOption()
    .routingOptions()
    .rowOptions()
    .readOptions()
    .serversOption()
    .missingKeyOption()
    .shardColumnOption('--map or --servers', ', or the name in shard=3')
    .mapOptions(`the rows are on nodes, by the primary nodes of this map: ${MAP}`)
    .option(
      '--out <file>',
      'write the misplaced rows to this file, which replaces one of that name when it is complete, each with where it is and where it belongs: KEY, tab, IS, tab, BELONGS, or records with the columns is and belongs; for -, the report goes to standard error',
      path,
    )
    .compressOption()
    .option(
      '--json',
      'write rows, fit, misplaced and the pairs of from and to as JSON; missing: how many rows fewer there are than manifest.json says; inOtherPairs: rows in pairs that were too many to be counted',
    )
    .rejectsOption()
    .note('The exit status is 0 if all rows fit, and 1 if not, or if there are not as many as manifest.json says.')
    .examples(
      "kcat -C -e -t orders -f '%p\\t%k\\n' | shardbits audit --as kafka --shards 12",
      'shardbits audit users.csv --csv --key email --shard-column bucket --shards 64 --out misplaced.csv',
      'shardbits audit shards --csv --key email --shards 64',
      'shardbits audit orders --key user_id --keys int64 --as spark --partitions 200',
      'shardbits audit users.csv --csv --key email --shard-column node --map map.json',
    )
    .action(audit);
}

async function audit(files: string[], options: RowOptions & PlacementOptions & { json?: boolean }): Promise<void> {
  const { out, json } = options;
  if (out === undefined) refuse(options, ['compress'], 'requires --out');
  else refuse(options, ['ragged'], 'cannot be combined with --out, which adds columns');
  const placement = await placementFor(options, files);
  const { names } = placement;
  const placed = fromOptions(() => filesOfShards(inputsOf(files), { column: options.shardColumn, names }));
  const { inputs, isParquet } = await sourcesOf(placed?.map(({ path }) => path) ?? files, options);
  if (isParquet && out !== undefined) checkParquetOut(out);
  const rows = keyReading(options, isParquet, inputs);
  const usual = names === undefined ? 'shard' : 'node';
  const shardColumn = placed === undefined ? shardColumnOf(options, rows.records, usual) : options.shardColumn;
  checkOutputs(options, [...inputs, ...filesIn(options.map, options.servers)]);
  const running = { ...options, rowsToStdout: out === '-', hintFor: missingKeyHint };
  const found = await runJob(inputs, running, ({ reading, writing }) => {
    const job = { ...reading, ...(out !== undefined && writing), ...rows, placement, shardColumn };
    return auditFiles(placed === undefined ? inputs : files, job);
  });
  const pairs = withNumbers(found.pairs, { from: placement, to: placement });
  await printAll(json ? asJson(found, pairs) : [inWords(found, pairs)], out === '-' ? sayText : print);
  if (found.rows === 0) say('warning: there are no rows');
  if (found.misplaced > 0 || found.missing) throw new Negative();
}

function asJson(
  { rows, fit, misplaced, missing, inOtherPairs }: FilesAudit,
  pairs: Iterable<PlacedFlow>,
): Iterable<string> {
  return inJson({ rows, fit, misplaced, missing, ...(inOtherPairs > 0 && { inOtherPairs }) }, 'pairs', pairs);
}

function inWords({ rows, fit, misplaced, missing = 0, inOtherPairs }: FilesAudit, pairs: Iterable<PlacedFlow>): string {
  const percent = percentOf(rows);
  const width = number(rows).length;
  return inLines([
    `rows       ${number(rows)}`,
    `fit        ${number(fit).padStart(width)} (${percent(fit)})`,
    `misplaced  ${number(misplaced).padStart(width)} (${percent(misplaced)})`,
    ...(missing === 0
      ? []
      : [
          `${missing > 0 ? 'missing  ' : 'too many '}  ${number(Math.abs(missing)).padStart(width)} of those in manifest.json`,
        ]),
    ...flowLines(pairs, 'pairs of where rows are and where they belong', inOtherPairs === 0),
    ...(inOtherPairs > 0 ? [`${number(inOtherPairs)} rows are in other pairs, which were too many to be counted`] : []),
  ]);
}
