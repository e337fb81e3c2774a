import { type Candidate, type Detected, detect } from '../../detect/detect.js';
import { pick } from '../../detect/readings.js';
import { placedLines } from '../../node/jobs/audit.js';
import { type Kept, KeptRows } from '../io/kept-rows.js';
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
import { fromOptions, inOwnWords, integer, isRefusal, Negative, UsageError } from '../options/usage.js';

interface DetectCommandOptions extends ReadOptions, ShardColumnOptions, Outputs {
  shards?: number;
  json?: boolean;
}

const MAX_FOREIGN = 1000;
const MAX_SHOWN = 10;

export function addDetect(program: CliCommand): void {
  const command = program
    .command('detect')
    .summary('tell from keys and their shards which mapping placed them')
    .description(
      'Tell from keys and their shards which mapping placed them: one of the systems of route --as, a Router, or a hash that people often use. A row is SHARD, tab, KEY, as route writes it, or a record. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--shards <n>', 'the number of shards (default: as the rows show)', integer);
  withEncoding(withShardColumn(withRowOptions(command)))
    .option(
      '--json',
      'write rows, shards, verdict, candidates, needed, foreign (the numbers of the first 1000 rows that do not fit the verdict, from 1) and foreignCount as JSON',
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
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  const records = recordFormatOf(options);
  const column = shardColumnOf(options);
  let isSure = false;
  try {
    await runJob(inputs, { ...options, rowsToStdout: false }, async ({ print, reject, progress }) => {
      const rows = new KeptRows();
      const onReject = options.rejects === undefined ? undefined : reject;
      const job = { records, column, encoding: options.encoding, onReject };
      for await (const { lines, shards, progress: read } of placedLines(inputs, job)) {
        rows.add(lines.keys, shards);
        progress.update(read);
      }
      progress.stop();
      const { kept } = rows;
      const found = fromOptions(() => detect(kept.keys, kept.shards, { shards: options.shards }));
      isSure = found.verdict !== undefined;
      const foreign = foreignRows(found, kept);
      const report = { found, kept, foreign, given: options.shards, all: rows.rows };
      await print(options.json ? json(report) : inWords(report));
    });
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error;
  }
  if (!isSure) throw new Negative();
}

interface Report {
  readonly found: Detected;
  readonly kept: Kept;
  /** The indexes of rows that do not fit the verdict. */
  readonly foreign: Uint32Array;
  /** The number of shards that was given. */
  readonly given: number | undefined;
  /** How many rows there are, of which some may not have been kept. */
  readonly all: number;
}

function foreignRows({ verdict, placed }: Detected, { shards }: Kept): Uint32Array {
  if (verdict === undefined || placed === undefined) return new Uint32Array(0);
  const rows = new Uint32Array(shards.length);
  let count = 0;
  for (let row = 0; row < shards.length; row++) if (shards[row] !== placed[row]) rows[count++] = row;
  return rows.subarray(0, count);
}

function json({ found, kept, foreign }: Report): string {
  const { rows, shards, verdict, candidates, needed } = found;
  const plain = ({ name, options, agree, byChance, also }: Candidate) => {
    return { name, options: options ?? null, agree, byChance, also };
  };
  const report = {
    rows,
    shards,
    verdict: verdict === undefined ? null : plain(verdict),
    candidates: candidates.map(plain),
    needed: Number.isFinite(needed) ? needed : null,
    foreign: Array.from(foreign.subarray(0, MAX_FOREIGN), (row) => kept.numbers[row]),
    foreignCount: foreign.length,
  };
  return `${JSON.stringify(report)}\n`;
}

function inWords(report: Report): string {
  const { found, all } = report;
  const part = all > found.rows ? [`looked at ${number(found.rows)} of ${number(all)} rows`, ''] : [];
  const table = tableOf(found.candidates);
  return [...part, ...table, ...(table.length > 0 ? [''] : []), ...verdictOf(report), ''].join('\n');
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

function verdictOf({ found, kept, foreign, given }: Report): string[] {
  const { rows, verdict, shards } = found;
  if (verdict === undefined) return [`No verdict: ${whyNot(found, kept, given)}.`];
  const fit = `${verdict.name}: ${number(verdict.agree)} of ${number(rows)} rows`;
  if (foreign.length === 0) return [fit];
  const theirs = foreign.map((row) => kept.shards[row]);
  const { verdict: other } = detect(pick(kept.keys, foreign), theirs, { shards });
  const whose = other === undefined ? '' : `, of which ${number(other.agree)} fit ${other.name}`;
  const were = foreign.length === 1 ? '1 row was' : `${number(foreign.length)} rows were`;
  const first = Array.from(foreign.subarray(0, MAX_SHOWN), (row) => kept.numbers[row]).join(', ');
  const more = foreign.length > MAX_SHOWN ? ', … (--json: the first 1,000)' : '';
  return [`${fit}; ${were} placed by something else${whose}`, `rows that do not fit: ${first}${more}`];
}

/** Why there is no verdict. */
function whyNot({ rows, needed }: Detected, kept: Kept, given: number | undefined): string {
  if (rows === 0) return 'there are no rows';
  const largest = kept.shards.reduce((most, shard) => Math.max(most, shard), 0);
  if (given !== undefined && largest >= given) return `shard ${largest} is not one of ${number(given)} shards`;
  if (!Number.isFinite(needed)) return 'all rows are in one shard';
  if (rows < needed)
    return `${number(rows)} rows are too few; at least ${number(needed)} with different keys are needed`;
  return 'no known mapping puts most of the rows in their shards';
}
