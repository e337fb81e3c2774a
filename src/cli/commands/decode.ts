import { detailsOf } from '../../errors.js';
import { decodeFile } from '../../node/index.js';
import {
  type DecodingOptions,
  decodingOf,
  hintOf,
  ID_FORMATS,
  type IdSource,
  idSources,
  inDecodingWords,
  SERVICE_LAYOUTS,
  textHint,
  WIDE_IDS,
} from '../io/ids.js';
import { checkOutputs, type FileJob, type RejectedPlace, runOnFiles } from '../io/output.js';
import {
  checkParquetOut,
  inputsOf,
  parquetOf,
  type ReadOptions,
  type RowOptions,
  recordFormatOf,
  withLayoutOptions,
  withReadOptions,
  withRowOptions,
} from '../options/input.js';
import { type CliCommand, type Outputs, oneOf, UsageError } from '../options/usage.js';

interface DecodeOptions extends ReadOptions, DecodingOptions, RowOptions, Outputs {
  format?: 'tsv' | 'csv' | 'json';
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
      `the format of 64-bit ids: ${ID_FORMATS.join(', ')}; or the kind of wider ids: ${WIDE_IDS.join(', ')} (default: "dec"; without --layout, wider ids are recognised)`,
      oneOf([...ID_FORMATS, ...WIDE_IDS]),
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
  const parquet = await parquetOf(args, options);
  const { json, format = json ? 'json' : undefined, key = [], text } = options;
  if (json && format !== 'json') throw new UsageError(`--json cannot be combined with --format ${format}`);
  if (parquet !== undefined) checkParquetOut(options.out);
  if (parquet !== undefined && format !== undefined) throw new UsageError('--format cannot be combined with Parquet');
  const records = recordFormatOf(options, parquet !== undefined);
  if (records !== undefined && format !== undefined) {
    throw new UsageError('--format cannot be combined with --csv, --tsv or --ndjson: records keep their format');
  }
  if (records && key.length > 1) throw new UsageError(`--key: expected one column of ids, got ${key.join(' and ')}`);
  const sources: readonly IdSource[] = records
    ? (parquet ?? inputsOf(args)).map((input) => ({ input }))
    : await idSources(args, options);
  const inputs = sources.map(({ input }) => input);
  checkOutputs(options, inputs);
  const decoding = await decodingOf(options);
  const job = {
    ...options,
    placeOf: ({ input, file, line }: RejectedPlace) =>
      parquet ? `${file}: row ${line}` : sources[input].place?.(line),
    rawHint: '--raw prints its units',
    /** The first row may be an id in another format. */
    async hintFor({ error }: RejectedPlace, rows: number) {
      const { got, text: other } = detailsOf(error);
      if (other !== undefined) return hintOf(other);
      return rows === 0 && text === undefined ? textHint(String(got)) : '';
    },
  };
  const run = (job: FileJob) => decodeFile(inputs, { ...job, ...decoding, records, format });
  await runOnFiles(inputs, job, run, inDecodingWords);
}
