import { setImmediate } from 'node:timers/promises';
import { MAX_BUCKETS } from '../../arguments.js';
import type { Candidate } from '../../detect/detect.js';
import { type Report, reporting } from '../../detect/report.js';
import type { RejectedLine } from '../../node/index.js';
import { placedLines } from '../../node/jobs/audit.js';
import { checkServers, type RingServer } from '../../partitioners/ring.js';
import { type Kept, type KeptReport, KeptRows, type RowSource } from '../io/kept-rows.js';
import { inLines } from '../io/messages.js';
import { checkOutputs, type Outputs, runJob } from '../io/output.js';
import { number } from '../io/summary.js';
import type { CliCommand } from '../options/command.js';
import {
  inputsOf,
  type ReadOptions,
  recordFormatOf,
  type ShardColumnOptions,
  shardColumnOf,
  withEncoding,
  withRowOptions,
  withShardColumn,
} from '../options/input.js';
import { readServers, SERVERS } from '../options/servers.js';
import { fromOptions, inOwnWords, integer, isRefusal, Negative, path, refuse, UsageError } from '../options/usage.js';
import { detectInParquet } from '../parquet/placed.js';
import { parquetIn } from '../parquet/table.js';

interface DetectCommandOptions extends ReadOptions, ShardColumnOptions, Outputs {
  shards?: number;
  json?: boolean;
  servers?: string;
}

const MAX_FOREIGN = 1000;
const MAX_SHOWN = 10;

export function addDetect(program: CliCommand): void {
  const command = program
    .command('detect')
    .summary('tell from keys and their shards which mapping placed them')
    .description(
      'Tell from keys and their shards which mapping placed them: one of the systems of route --as, a Router, or a hash that people often use. A row is SHARD, tab, KEY, as route writes it, or a record, or one of Parquet. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--shards <n>', 'the number of shards (default: as the rows show)', integer);
  withEncoding(withShardColumn(withRowOptions(command), '--servers'))
    .option(
      '--servers <file>',
      `also try the rings of ketama and nginx; the rows are then on servers, by their names: ${SERVERS}`,
      path,
    )
    .option(
      '--json',
      'write rows, shards, verdict, candidates, needed, foreign (the numbers of the first 1000 rows that do not fit the verdict, from 1 through all inputs, without headers), foreignCount and sentence as JSON',
    )
    .outOption()
    .rejectsOption()
    .addHelpText('after', '\nThe exit status is 0 if there is a verdict, and 1 if there is none.')
    .examples(
      "kcat -C -e -t orders -f '%p\\t%k\\n' | shardbits detect",
      'shardbits detect rows.tsv --shards 12',
      'shardbits detect users.csv --csv --key email --shard-column bucket',
    )
    .action(run);
}

async function run(files: string[], options: DetectCommandOptions): Promise<void> {
  const parquet = parquetIn(files);
  const servers = options.servers === undefined ? undefined : await checkedServers(options.servers);
  if (servers !== undefined) refuse(options, ['shards'], 'cannot be combined with --servers');
  const names = servers?.map(({ name }) => name);
  let isSure = false;
  const report: KeptReport = async (rows, source, print) => {
    const { kept } = rows;
    const steps = reporting(kept.keys, kept.shards, names?.length ?? options.shards, servers);
    const found = await betweenEvents(steps);
    isSure = found.verdict !== undefined;
    await print(options.json ? json(found, kept) : inWords(found, kept, rows.rows, source));
  };
  try {
    await (parquet === undefined
      ? detectInLines(files, options, names, report)
      : detectInParquet(parquet, options, names, report));
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error;
  }
  if (!isSure) throw new Negative();
}

/** @param names those of the places, if rows say names */
async function detectInLines(
  files: readonly string[],
  options: DetectCommandOptions,
  names: readonly string[] | undefined,
  report: KeptReport,
): Promise<void> {
  const inputs = inputsOf(files);
  checkOutputs(options, [...inputs, ...(options.servers === undefined ? [] : inputsOf([options.servers]))]);
  const records = recordFormatOf(options);
  const column = shardColumnOf(options, names && 'node');
  await runJob(inputs, { ...options, rowsToStdout: false }, async ({ print, reject, progress }) => {
    const rows = new KeptRows();
    const counted = (row: RejectedLine) => {
      rows.refuse();
      return reject(row);
    };
    const onReject = options.rejects === undefined ? undefined : counted;
    const job = { records, column, names, encoding: options.encoding, onReject };
    for await (const { lines, shards, file, progress: read } of placedLines(inputs, job)) {
      rows.add(lines, shards, file);
      progress.update(read);
    }
    progress.stop();
    await report(rows, { files: inputs.length, noun: 'lines' }, print);
  });
}

async function checkedServers(file: string): Promise<RingServer[]> {
  const servers = await readServers(file);
  fromOptions(() => checkServers(servers, MAX_BUCKETS));
  return servers;
}

/** Takes one step after the other. In between, a signal can end the process. */
async function betweenEvents<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = fromOptions(() => steps.next());
    if (done) return value;
    await setImmediate();
  }
}

function json({ rows, shards, verdict, candidates, needed, foreign, sentence }: Report, { numbers }: Kept): string {
  const plain = ({ name, options, agree, byChance, also }: Candidate) => {
    return { name, options: options ?? null, agree, byChance, also };
  };
  const report = {
    rows,
    shards,
    verdict: verdict === undefined ? null : plain(verdict),
    candidates: candidates.map(plain),
    needed: Number.isFinite(needed) ? needed : null,
    foreign: Array.from(foreign.subarray(0, MAX_FOREIGN), (row) => numbers[row]),
    foreignCount: foreign.length,
    sentence,
  };
  return `${JSON.stringify(report)}\n`;
}

/** @param all how many rows there are, of which some may not have been kept */
function inWords(report: Report, { placeOf }: Kept, all: number, { files, noun }: RowSource): string {
  const { rows, candidates, sentence, foreign } = report;
  const part = all > rows ? [`looked at ${number(rows)} of ${number(all)} rows`, ''] : [];
  const table = tableOf(candidates);
  const places = Array.from(foreign.subarray(0, MAX_SHOWN), (row) => {
    const { file, line } = placeOf(row);
    return files > 1 ? `${file}:${line}` : String(line);
  });
  const first = places.join(', ');
  const more = foreign.length > MAX_SHOWN ? ', … (--json: the numbers of the first 1,000 rows)' : '';
  return inLines([
    ...part,
    ...table,
    ...(table.length > 0 ? [''] : []),
    sentence,
    ...(foreign.length > 0 ? [`${noun} that do not fit: ${first}${more}`] : []),
  ]);
}

/** The candidates, one on each line, and under each those that cannot be told from it. */
function tableOf(candidates: readonly Candidate[]): string[] {
  if (candidates.length === 0) return [];
  const rows = candidates.map(({ agree, byChance, name, options = 'no option of route' }) => [
    number(agree),
    number(Math.round(byChance)),
    name,
    options,
  ]);
  const title = ['agree', 'by chance', 'mapping', 'options of route'];
  const widths = title.map((_, i) => Math.max(...[title, ...rows].map((cells) => cells[i].length)));
  const line = ([agree, chance, name, options]: readonly string[]) =>
    `${agree.padStart(widths[0])}  ${chance.padStart(widths[1])}  ${name.padEnd(widths[2])}  ${options}`;
  const indent = ' '.repeat(widths[0] + widths[1] + 4);
  return [
    line(title),
    ...rows.flatMap((cells, i) => [line(cells), ...candidates[i].also.map((name) => `${indent}or ${name}`)]),
  ];
}
