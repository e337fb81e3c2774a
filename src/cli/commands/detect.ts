import type { Candidate } from '../../detect/index.js';
import { detectFiles, type FilesDetection } from '../../node/index.js';
import { checkOutputs, number, runJob } from '../io/output.js';
import { aligned } from '../io/reports.js';
import type { CliCommand } from '../options/command.js';
import { filesIn, type RowOptions, recordFormatOf, shardColumnOf, sourcesOf } from '../options/input.js';
import { keysOf, readServers } from '../options/placement.js';
import { SERVERS } from '../options/systems.js';
import { integer, Negative, oneOf, path, refuse } from '../options/usage.js';
import { inLines, type Line } from '../terminal.js';

interface DetectCommandOptions extends RowOptions {
  keys?: 'text' | 'hex' | 'base64';
  shards?: number;
  json?: boolean;
  servers?: string;
}

const MAX_SHOWN = 10;

export function define(command: CliCommand): void {
  command
    .description(
      'Tell from keys and their shards which mapping placed them: one of the systems of route --as, a Router, or a hash that people often use. A row is SHARD, tab, KEY, as route writes it, or a record, or one of Parquet. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--shards <n>', 'the number of shards (default: as the rows show)', integer)
    .option(
      '--keys <kind>',
      'text: keys are texts, or integers or UUIDs if all are such; hex, base64: the bytes that a key says (default: "text")',
      oneOf(['text', 'hex', 'base64']),
    )
    .rowOptions()
    .shardColumnOption('--servers')
    .encodingOption()
    .option(
      '--servers <file>',
      `also try the rings of ketama and nginx; the rows are then on servers, by their names: ${SERVERS}`,
      path,
    )
    .option(
      '--json',
      'write rows, shards, first (what the first shard is called, 0 or 1), verdict, candidates, needed, foreign (the numbers of the first 1000 rows that do not fit the verdict, from 1 through all inputs, without headers), foreignCount and sentence as JSON',
    )
    .outOption()
    .rejectsOption()
    .note('The exit status is 0 if there is a verdict, and 1 if there is none.')
    .examples(
      "kcat -C -e -t orders -f '%p\\t%k\\n' | shardbits detect",
      'shardbits detect rows.tsv --shards 12',
      'shardbits detect users.csv --csv --key email --shard-column bucket',
      'shardbits detect rows.csv --csv --key key --shard-column partition --keys hex',
    )
    .action(run);
}

async function run(files: string[], options: DetectCommandOptions): Promise<void> {
  const { inputs, isParquet } = await sourcesOf(files, options);
  const servers = options.servers === undefined ? undefined : await readServers(options.servers);
  if (servers !== undefined) refuse(options, ['shards'], 'cannot be combined with --servers');
  checkOutputs(options, [...inputs, ...filesIn(options.servers)]);
  const records = recordFormatOf(options, isParquet);
  const shardColumn = shardColumnOf(options, records, servers && 'node');
  const { out, shards, json, keys } = options;
  keysOf(options);
  let isSure = false;
  await runJob(inputs, { ...options, report: out, rowsToStdout: false }, async ({ print, progress, reading }) => {
    const found = await detectFiles(inputs, { ...reading, records, keys, shardColumn, shards, servers });
    progress.stop();
    isSure = found.verdict !== undefined;
    await print(json ? asJson(found) : inWords(found, inputs.length, isParquet ? 'rows' : 'lines'));
  });
  if (!isSure) throw new Negative();
}

function asJson(found: FilesDetection): string {
  const { rows, shards, first, verdict, candidates, needed, foreign, foreignCount, sentence } = found;
  const plain = ({ name, options, agree, byChance, also }: Candidate) => {
    return { name, options: options ?? null, agree, byChance, also };
  };
  const judged = { verdict: verdict === undefined ? null : plain(verdict), candidates: candidates.map(plain) };
  const fit = { needed, foreign: foreign.map(({ row }) => row), foreignCount }; // JSON has null for an infinite number
  return `${JSON.stringify({ rows, shards, first, ...judged, ...fit, sentence })}\n`;
}

function inWords(found: FilesDetection, files: number, noun: string): string {
  const { rows, allRows, first, verdict, candidates, sentence, foreign, foreignCount } = found;
  const part = allRows > rows ? [`looked at ${number(rows)} of ${number(allRows)} rows`, ''] : [];
  const table = tableOf(candidates);
  const places = foreign.slice(0, MAX_SHOWN).map(({ file, line }) => (files > 1 ? `${file}:${line}` : String(line)));
  const more = foreignCount > MAX_SHOWN ? ', … (--json: the numbers of the first 1,000 rows)' : '';
  return inLines([
    ...part,
    ...table,
    ...(table.length > 0 ? [''] : []),
    sentence,
    ...(first === 1 && verdict ? ['route and audit number shards from 0: subtract 1 from these'] : []),
    ...(foreignCount > 0 ? [`${noun} that do not fit: ${places.join(', ')}${more}`] : []),
  ]);
}

/** The candidates, one on each line, and under each its options of route and those that cannot be told from it. */
function tableOf(candidates: readonly Candidate[]): Line[] {
  if (candidates.length === 0) return [];
  const rows = candidates.map(({ agree, byChance, name }) => [number(agree), number(Math.round(byChance)), name]);
  const title = ['agree', 'by chance', 'mapping'];
  const [heading, ...lines] = aligned([title, ...rows], [2]);
  const indent = ' '.repeat(heading.indexOf(title[2]));
  const under = ({ options, also }: Candidate) => [
    ...(options === undefined ? [] : [`${indent}route ${options}`]),
    ...also.map((name) => `${indent}or ${name}`),
  ];
  return [{ heading }, ...lines.flatMap((line, i) => [line, ...under(candidates[i])])];
}
