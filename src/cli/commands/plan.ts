import { type FilesPlan, planFiles } from '../../node/index.js';
import { checkOutputs, number, printAll, runJob } from '../io/output.js';
import { flowLines, inJson, listed, percentOf, withNumbers } from '../io/reports.js';
import type { CliCommand } from '../options/command.js';
import { filesIn, missingKeyHint, type RowOptions, sourcesOf } from '../options/input.js';
import { keyReading, MAP, type Placements, placementsFor, type SidesOptions } from '../options/placement.js';
import { integer, path, refuse } from '../options/usage.js';
import { inLines, streams } from '../terminal.js';

export function define(command: CliCommand): void {
  command
    .description(
      'Count the keys that move when the number of shards changes, or between nodes when the shard map changes. A key is a line, or a value of a record or of a row in Parquet. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--from <n>', 'the number of shards now (required without maps or servers)', integer)
    .option('--to <n>', 'the number of shards afterwards', integer)
    .option(
      '--to-router <n>',
      'the number of shards afterwards, of a Router; --as is then what places keys now',
      integer,
    )
    .option('--from-map <file>', `the map of nodes now: ${MAP}`, path)
    .option('--to-map <file>', 'the map afterwards; after --from-map, with the same number of shards', path)
    .option('--to-servers <file>', 'the servers of --as ketama or nginx afterwards', path)
    .serversOption()
    .routingOptions()
    .rowOptions()
    .option('--json', 'write total, moved, ideal and all flows as JSON')
    .missingKeyOption()
    .readOptions()
    .outOption()
    .option(
      '--out-rows <file>',
      'write the keys that move to this file, which replaces one of that name when it is complete: KEY, tab, FROM, tab, TO, or records with the columns from and to',
      path,
    )
    .examples(
      'shardbits plan keys.txt --from 10 --to 11',
      'shardbits plan keys.txt --from 10 --to 11 --strategy modulo --json',
      'shardbits plan users.csv --csv --key email --from 10 --to 11',
      'shardbits plan keys.txt --as kafka --from 12 --to 24 --out-rows moving.tsv',
      'shardbits plan keys.txt --as kafka --from 12 --to-router 64',
      'shardbits plan keys.txt --as ketama --servers servers.txt --to-map map.json',
      'shardbits plan keys.txt --from-map map.json --to-map map-2.json',
    )
    .action(plan);
}

async function plan(files: string[], options: SidesOptions & RowOptions & { json?: boolean }): Promise<void> {
  const { inputs, isParquet } = await sourcesOf(files, options);
  const { fromMap, toMap, servers, toServers, out, outRows, json } = options;
  if (isParquet) refuse(options, ['outRows'], 'cannot be combined with Parquet');
  if (outRows !== undefined) refuse(options, ['ragged'], 'cannot be combined with --out-rows, which adds columns');
  const placements = await placementsFor(options, files);
  checkOutputs(options, [...inputs, ...filesIn(fromMap, toMap, servers, toServers)]);
  const rows = { ...keyReading(options, isParquet, inputs), outRows: outRows === '-' ? streams().stdout : outRows };
  const running = { ...options, report: out, rowsToStdout: outRows === '-', hintFor: missingKeyHint };
  await runJob(inputs, running, async ({ print, progress, reading }) => {
    const plan = await planFiles(inputs, { ...reading, ...placements, ...rows });
    progress.stop();
    await printAll(json ? asJson(plan, placements) : [inWords(plan, placements)], print);
  });
}

/** Numbers of shards are numbers in JSON. */
function asJson({ total, moved, least, flows }: FilesPlan, placements: Placements): Iterable<string> {
  return inJson({ total, moved, ideal: least }, 'flows', withNumbers(flows, placements));
}

function inWords({ total, moved, least, flows }: FilesPlan, placements: Placements): string {
  const percent = percentOf(total);
  const withPercent = (count: number) => `${number(count)} (${percent(count)})`;
  return inLines([
    ...listed({ keys: total, moved: withPercent(moved), ideal: withPercent(least) }),
    ...flowLines(withNumbers(flows, placements), 'flows'),
  ]);
}
