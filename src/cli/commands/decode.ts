import { detailsOf } from '../../errors.js';
import { inUtf8 } from '../../node/files/input.js';
import type { RejectedLine } from '../../node/index.js';
import { allThreads, doWork } from '../../node/jobs/work.js';
import { checkKinds } from '../../rows/sinks/fields.js';
import { WIDE_ID_KINDS } from '../../wide-ids/times.js';
import { decode as decodeWork, type IdRowFormat, titleOf } from '../ids/decode-rows.js';
import { type DecodingOptions, idDecoding, SERVICE_LAYOUTS } from '../ids/decoding.js';
import { ID_FORMATS, ID_TEXTS, type IdText, idSources, isIdArgument, sourcesOf, textHint } from '../ids/texts.js';
import { checkOutputs, type Outputs, runJob } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import {
  checkedFormatOf,
  ID_WORKER,
  type ReadOptions,
  type RowOptions,
  recordFormatOf,
  withLayoutOptions,
  withReadOptions,
  withRowOptions,
} from '../options/input.js';
import { fromOptions, oneOf, UsageError } from '../options/usage.js';
import { decodeParquet } from '../parquet/decode.js';
import { parquetIn } from '../parquet/table.js';

interface DecodeOptions extends ReadOptions, Omit<DecodingOptions, 'key'>, RowOptions, Outputs {
  format?: IdRowFormat;
  json?: boolean;
}

const GUESSED = ' (default: guessed from the first ids)';

export function addDecode(program: CliCommand): void {
  const command = program
    .command('decode')
    .summary('split ids into their fields')
    .description(
      'Write a row of fields for each id. A time is written as Unix milliseconds, with its date in the last column. ' +
        'Without --layout, it guesses the layout from the ids and names it on standard error. UUIDs, ULIDs, ObjectIds, ' +
        'KSUIDs and xids are recognised, too; they have only a timestamp and a date. ' +
        'An argument that looks like an id is an id, and any other is a file with an id on each line; ./123 is a file. ' +
        'With --csv, --tsv or --ndjson, the ids are in records, and the fields are added as columns; in Parquet, too. ' +
        'Without arguments, or for -, it reads standard input.',
    )
    .argument('[id|file...]');
  withRowOptions(withLayoutOptions(command, { otherwise: GUESSED, others: SERVICE_LAYOUTS }))
    .option(
      '--text <format>',
      `the format of 64-bit ids: ${ID_FORMATS.join(', ')}; or the kind of wider ids: ${WIDE_ID_KINDS.join(', ')} (default: "dec"; without --layout, wider ids are recognised)`,
      oneOf(ID_TEXTS),
    )
    .option('--raw', "write times in the layout's own units since its epoch")
    .option(
      '--format <name>',
      'tsv or csv: a table with a header; json: an object on each line, with ids and wide fields as strings (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    )
    .option('--json', 'the same as --format json');
  withReadOptions(command)
    .outOption()
    .compressOption()
    .rejectsOption()
    .examples(
      'shardbits decode 286435872092454913 --layout snowflake',
      'shardbits decode 1116551844710330458',
      'shardbits decode 017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
      'shardbits decode 3939 --layout client:27,entity:5 --json',
      'shardbits decode ids.txt --layout snowflake --format csv --out ids.csv',
      'shardbits decode ids.txt --layout snowflake --rejects bad-ids.tsv > good-ids.tsv',
      'shardbits decode 3jtg4ikxerr25 --text sortable32',
      'shardbits decode orders.csv --csv --key id --layout snowflake --out orders-with-times.csv',
      'shardbits decode --layout timestamp:41,shard:10,sequence:12 --epoch 2023-01-01T00:00:00Z < ids.txt',
    )
    .action(decode);
}

async function decode(args: string[], options: DecodeOptions): Promise<void> {
  const parquet = parquetIn(args);
  if (parquet !== undefined) return decodeParquet(parquet, options);
  const { json, format = json ? 'json' : 'tsv', key = [], text, layout, threads = allThreads() } = options;
  if (json && format !== 'json') throw new UsageError(`--json cannot be combined with --format ${format}`);
  const isRecords = recordFormatOf(options) !== undefined;
  if (isRecords && (options.format !== undefined || json)) {
    throw new UsageError('--format cannot be combined with --csv, --tsv or --ndjson: records keep their format');
  }
  if (isRecords && key.length > 1) throw new UsageError(`--key: expected one column of ids, got ${key.join(' and ')}`);
  const isId = (argument: string) => isIdArgument(argument, text, layout !== undefined);
  const hintFor = (argument: string) => (text === undefined ? textHint([argument]) : '');
  const given = isRecords ? sourcesOf(args) : idSources(args, isId, hintFor);
  const inputs = given.map(({ input }) => input);
  checkOutputs(options, inputs);
  const texts = given.map((source) => ({ ...source, input: inUtf8(source.input, options.encoding) }));
  const { decoding, sources } = await idDecoding(texts, checkedFormatOf(options, []), options);
  const names = decoding.columns.map(({ name }) => name);
  const records = checkedFormatOf(options, names);
  const kinds = decoding.columns.map(({ kind }) => kind);
  if (records?.format === 'csv') fromOptions(() => checkKinds(kinds, records));
  // All tables have one header, so they are read together.
  const together = { inputs: sources.map(({ input }) => input), place: () => undefined };
  const groups = records ? [together] : sources.map(({ input, place }) => ({ inputs: [input], place }));
  let decoded = 0;
  const hintForFirst = (row: RejectedLine) => (decoded === 0 ? hintForRow(row, text) : '');
  await runJob(inputs, { ...options, hintFor: hintForFirst }, async ({ print, reject, isStrict, progress }) => {
    let title = records ? '' : titleOf(decoding, format);
    const work = { kind: decodeWork, name: 'decode', options: { decoding: decoding.plain, format }, script: ID_WORKER };
    for (const { inputs, place } of groups) {
      const onReject = (row: RejectedLine) => reject(row, place(row.line));
      for await (const result of doWork({ inputs, records, onReject, isStrict }, work, { threads })) {
        if (title !== '') await print(title);
        title = '';
        await print(result.value.bytes);
        decoded += result.progress.keys;
        progress.update(result.progress);
      }
      progress.next();
    }
    if (title !== '') await print(title); // even if there are no rows
  });
}

/** A hint for a first row that is an id in another format. */
function hintForRow({ error }: RejectedLine, text: IdText | undefined): string {
  const { row, got } = detailsOf(error);
  return text === undefined && row !== undefined && got !== undefined ? textHint([String(got)]) : '';
}
