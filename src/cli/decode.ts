import type { Command } from 'commander';
import type { Layout, TextFormat } from '../index.js';
import { kernelsWithColumns } from '../kernels/resident-columns.js';
import type { Batch } from '../lines/batch.js';
import type { Header } from '../lines/batch-source.js';
import type { CheckedRows } from '../lines/rows.js';
import { ValueWriter } from '../lines/value-writer.js';
import { idResults } from '../node/files/line-results.js';
import type { RejectedLine } from '../node/index.js';
import { REJECTS, type Reject, withRejects } from './bad-rows.js';
import { decodedColumns, decodedRows, decodedValues, type IdRowFormat } from './decode-rows.js';
import { ID_TEXTS, isIdIn } from './id-texts.js';
import { idSources } from './ids-or-files.js';
import {
  inputsOf,
  type LayoutOptions,
  makeCheckedRows,
  makeLayout,
  makeRows,
  type RowOptions,
  withLayoutOptions,
  withRowOptions,
} from './options.js';
import { checkOutputs, isStdout, OUT, type Print, withOutput } from './output.js';
import { startProgress } from './progress.js';
import { oneOf, path, UsageError } from './usage.js';

interface DecodeOptions extends LayoutOptions, RowOptions {
  text?: TextFormat;
  raw?: boolean;
  format?: IdRowFormat;
  json?: boolean;
  out?: string;
  rejects?: string;
}

export function addDecode(program: Command): void {
  const command = program
    .command('decode')
    .summary('take ids apart')
    .description(
      'Write a row of fields for each id. A time is written as Unix milliseconds, with its date in the last column. ' +
        'An argument that reads as an id is one, any other is a file with an id on each line; ./123 is a file. ' +
        'With --csv, --tsv or --ndjson the ids are values of records, which get the fields as columns. ' +
        'Without arguments, or for -, it reads standard input.',
    )
    .argument('[id|file...]');
  withRowOptions(withLayoutOptions(command))
    .option('--text <format>', `how ids are written: ${ID_TEXTS.join(', ')} (default: "dec")`, oneOf(ID_TEXTS))
    .option('--raw', "write times in the layout's own units since its epoch")
    .option(
      '--format <name>',
      'tsv or csv: a table with a header; json: an object on each line, with ids and wide fields as strings (default: "tsv")',
      oneOf(['tsv', 'csv', 'json']),
    )
    .option('--json', 'the same as --format json')
    .option('--out <file>', OUT, path)
    .option('--rejects <file>', REJECTS, path)
    .addHelpText(
      'after',
      `
Examples:
  shardbits decode 286435872092454913 --layout snowflake
  shardbits decode 3939 --layout client:27,entity:5 --json
  shardbits decode ids.txt --layout snowflake --format csv --out ids.csv
  shardbits decode ids.txt --layout snowflake --rejects bad-ids.tsv > good-ids.tsv
  shardbits decode 3jtg4ikxerr25 --text sortable32 --layout atproto
  shardbits decode orders.csv --csv --key id --layout snowflake --out orders-with-times.csv
  shardbits decode --layout timestamp:41,shard:10,sequence:12 --epoch 2023-01-01T00:00:00Z < ids.txt`,
    )
    .action(decode);
}

async function decode(given: string[], options: DecodeOptions): Promise<void> {
  const layout = makeLayout(options);
  const { json, format = json ? 'json' : 'tsv', text = 'dec', raw = false, out, rejects } = options;
  if (json && format !== 'json') throw new UsageError(`--json: expected no other --format with it, got ${format}`);
  const taken = layout.places.find(({ name }) => name === 'id' || name === 'date');
  if (taken !== undefined) {
    throw new UsageError(`--layout: expected fields other than id and date, got ${taken.name}`);
  }
  if (makeRows(options) !== undefined) return decodeRecords(layout, given, options);
  const sources = idSources(given, (argument) => isIdIn(text, argument));
  const inputs = sources.map(({ input }) => input);
  checkOutputs(options, inputs);

  const rows = decodedRows(layout, format, raw);
  const progress = startProgress(inputs, { rowsToStdout: isStdout(out) });
  const write = async (print: Print, reject: Reject) => {
    let { header } = rows;
    for (const { input, place } of sources) {
      const onReject = (row: RejectedLine) => reject(row, place(row.line));
      const ids = { ids: (batch: Batch) => rows.text(batch.hashes) };
      for await (const { made, progress: done } of idResults([input], undefined, text, ids, { onReject })) {
        if (header !== '') await print(header);
        header = '';
        await print(made);
        progress.update(done);
      }
      progress.next();
    }
    if (header !== '') await print(header); // also of no rows
    progress.stop(); // before rejects are counted in words
  };
  await withOutput(out, (print) => withRejects(rejects, sources.length > 1, (reject) => write(print, reject))).finally(
    progress.stop,
  );
}

/** Writes records with the fields of their ids as columns. */
async function decodeRecords(layout: Layout, files: readonly string[], options: DecodeOptions): Promise<void> {
  const { format, json, key = [], text = 'dec', raw = false, out, rejects } = options;
  if (format !== undefined || json) {
    throw new UsageError('--format cannot be combined with --csv, --tsv or --ndjson: records keep their format');
  }
  if (key.length > 1) throw new UsageError(`--key: expected one column of ids, got ${key.join(' and ')}`);
  const columns = decodedColumns(layout, raw);
  const rows = makeCheckedRows(
    options,
    columns.map(({ name }) => name),
  ) as CheckedRows;
  const inputs = inputsOf(files);
  checkOutputs(options, inputs);
  const writer = new ValueWriter(kernelsWithColumns(), rows, columns);
  const progress = startProgress(inputs, { rowsToStdout: isStdout(out) });
  const make = {
    ids: (batch: Batch) => writer.write(batch, decodedValues(layout, batch.hashes, raw)),
    header: (header: Header) => writer.header(header),
  };
  const write = async (print: Print, onReject: Reject) => {
    for await (const { made, progress: done } of idResults(inputs, rows, text, make, { onReject })) {
      await print(made);
      progress.update(done);
    }
    progress.stop(); // before rejects are counted in words
  };
  await withOutput(out, (print) => withRejects(rejects, inputs.length > 1, (reject) => write(print, reject))).finally(
    progress.stop,
  );
}
