import type { Command } from 'commander';
import type { ReshardPlan } from '../index.js';
import { planLines } from '../node/index.js';
import { inputsOf, makeRows, type RowOptions, withRowOptions } from './options.js';
import { checkOutputs, OUT, withOutput } from './output.js';
import { startProgress } from './progress.js';
import { lineKeysOf, makeRouting, type RoutingOptions, withRoutingOptions } from './routing-options.js';
import { number } from './summary.js';
import { integer, path, required } from './usage.js';

interface PlanOptions extends RoutingOptions, RowOptions {
  from: number;
  to: number;
  json?: boolean;
  out?: string;
}

const MOST_FLOWS = 20;

export function addPlan(program: Command): void {
  const command = program
    .command('plan')
    .summary('tell which keys move when the number of shards changes')
    .description(
      'Tell what moves when the number of shards changes. A key is a line, or a value of a record. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--from <n>', 'the number of shards now (required)', integer)
    .option('--to <n>', 'the number of shards afterwards (required)', integer);
  withRowOptions(withRoutingOptions(command))
    .option('--json', 'write total, moved, ideal and all flows as JSON')
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits plan keys.txt --from 10 --to 11\n  shardbits plan keys.txt --from 10 --to 11 --strategy modulo --json\n  shardbits plan users.csv --csv --key email --from 10 --to 11\n  shardbits plan keys.txt --as kafka --from 12 --to 24',
    )
    .action(plan);
}

async function plan(files: string[], options: PlanOptions): Promise<void> {
  required(options, '--from', '--to');
  const from = makeRouting('--from', options.from, options);
  const to = makeRouting('--to', options.to, options);
  const rows = makeRows(options);
  const input = inputsOf(files);
  checkOutputs(options, input);
  const progress = startProgress(input, { rowsToStdout: false });
  await withOutput(options.out, async (print) => {
    const { total, moved, ideal, flows } = await planLines(input, from, to, {
      keys: lineKeysOf(options),
      rows,
      onProgress: progress.update,
    }).finally(progress.stop);
    const plan = { total, moved, ideal, flows };
    await print(options.json ? `${JSON.stringify(plan)}\n` : inWords(plan));
  });
}

function inWords({ total, moved, ideal, flows }: Omit<ReshardPlan, 'rows'>): string {
  const percent = (count: number) => `${((100 * count) / Math.max(total, 1)).toFixed(2)} %`;
  const largest = [...flows].sort((a, b) => b.count - a.count).slice(0, MOST_FLOWS);
  const width = number(largest[0]?.count ?? 0).length;
  return [
    `keys   ${number(total)}`,
    `moved  ${number(moved)} (${percent(moved)})`,
    `ideal  ${number(ideal)} (${percent(ideal)})`,
    ...(flows.length > 0
      ? [
          '',
          flows.length > MOST_FLOWS
            ? `the largest ${MOST_FLOWS} of ${number(flows.length)} flows (--json: all)`
            : 'flows',
        ]
      : []),
    ...largest.map((flow) => `  ${number(flow.count).padStart(width)}  shard ${flow.from} -> ${flow.to}`),
    '',
  ].join('\n');
}
