import { existsSync } from 'node:fs';
import type { Layout } from '../../index.js';
import { inUtf8, nameOf } from '../../node/files/input.js';
import { allThreads, doWork } from '../../node/jobs/work.js';
import type { IdRowFormat } from '../ids/decode-rows.js';
import { encode as encodeRows, noHeader } from '../ids/encode-rows.js';
import { checkOutputs, type Outputs, runJob, withOutput } from '../io/output.js';
import { streams } from '../io/streams.js';
import type { CliCommand } from '../options/command.js';
import {
  ID_WORKER,
  inputsOf,
  type LayoutOptions,
  makeLayout,
  type ReadOptions,
  withLayoutOptions,
  withReadOptions,
} from '../options/input.js';
import { oneOf, refuse, shown, suggestion, UsageError } from '../options/usage.js';
import { packTexts } from '../options/values.js';

interface EncodeOptions extends LayoutOptions, ReadOptions, Outputs {
  raw?: boolean;
  format?: IdRowFormat;
}

export function addEncode(program: CliCommand): void {
  const command = program
    .command('encode')
    .summary('make ids from the values of their fields')
    .description(
      'Make an id from a value for every field. A time is Unix milliseconds or a date. ' +
        'Without field=value, it makes an id from every row of the files, or of standard input. The header of a table ' +
        'names the fields in any order. The columns id and date, which decode writes, are ignored, unless the layout has ' +
        'a field with that name.',
    )
    .argument('[field=value|file...]');
  withLayoutOptions(command)
    .option('--raw', "read times in the layout's own units since its epoch")
    .option(
      '--format <name>',
      'tsv or csv: the rows are a table with a header; json: they are an object on each line (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    );
  withReadOptions(command)
    .outOption()
    .compressOption()
    .rejectsOption()
    .examples(
      'shardbits encode --layout snowflake timestamp=2024-03-01T10:30:15.500Z shard=5 sequence=123',
      'shardbits encode rows.csv --layout snowflake --format csv --out ids.txt',
      'shardbits decode --layout twitter --json < ids.txt | shardbits encode --layout twitter --format json',
    )
    .action(encode);
}

async function encode(given: string[], options: EncodeOptions, command: CliCommand): Promise<void> {
  const layout = makeLayout(options);
  const pairs = given.filter(isPair);
  const files = given.filter((argument) => !isPair(argument));
  checkFiles(files);
  if (pairs.length === 0) return encodeInputs(layout, files, options, command);
  if (files.length > 0) throw new UsageError('expected files or field=value, got both');
  refuse(options, ['format', 'rejects', 'encoding', 'threads', 'compress'], 'cannot be combined with field=value');
  const id = encodeOne(layout, pairs, options.raw ?? false);
  await withOutput(options.out, (print) => print(`${id}\n`));
}

/** Whether an argument is a field with its value rather than a path. */
function isPair(argument: string): boolean {
  return argument.includes('=') && !/^\.{0,2}\//.test(argument);
}

function checkFiles(files: readonly string[]): void {
  const missing = files.find((file) => file !== '-' && !existsSync(file));
  if (missing !== undefined) {
    throw new UsageError(`expected field=value, got ${shown(missing)}, which is not a file either`);
  }
}

async function encodeInputs(
  layout: Layout,
  files: readonly string[],
  options: EncodeOptions,
  command: CliCommand,
): Promise<void> {
  if (files.length === 0 && streams().stdin.isTTY) {
    command.outputHelp({ error: true });
    throw new UsageError('expected field=value, a file of rows, or rows on standard input, got nothing');
  }
  const { format = 'tsv', raw = false, threads = allThreads() } = options;
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  await runJob(inputs, options, async ({ print, reject, isStrict, progress }) => {
    for (const input of inputs) {
      const name = nameOf(input);
      const job = { inputs: [inUtf8(input, options.encoding)], records: undefined, onReject: reject, isStrict };
      const work = {
        kind: encodeRows,
        name: 'encode',
        options: { fields: layout.fields, format, raw, input: name },
        script: ID_WORKER,
      };
      let keys = 0;
      let hasBegun = format === 'json';
      for await (const { value, progress: read } of doWork(job, work, { threads })) {
        await print(value.bytes);
        keys += value.count;
        hasBegun ||= value.isBegun;
        progress.update({ ...read, keys });
      }
      if (!hasBegun) throw noHeader(layout, name);
      progress.next();
    }
  });
}

function encodeOne(layout: Layout, pairs: readonly string[], raw: boolean): bigint {
  const names = layout.places.map(({ name }) => name);
  const texts = new Map<string, string>();
  for (const pair of pairs) {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (!names.includes(name)) {
      throw new UsageError(`expected one of ${names.join(', ')}, got ${shown(name)}${suggestion(name, names)}`);
    }
    if (texts.has(name)) throw new UsageError(`${name}: expected one value, got two`);
    texts.set(name, text);
  }
  const missing = names.filter((name) => !texts.has(name));
  if (missing.length > 0) throw new UsageError(`expected a value for ${missing.join(', ')}, got none`);
  return packTexts(layout, texts, raw, (problem, cause) => new UsageError(problem, { cause }));
}
