import { Command } from 'commander';
import type { Compression } from '../../node/index.js';
import { integer, oneOf, path } from './usage.js';

const OUT = 'write to this file, which replaces one of that name when it is complete (default: -, standard output)';

const REJECTS =
  'write malformed rows to this file, which replaces one of that name, and continue; each as LINE, tab, REASON, tab, ROW, with FILE:LINE for several inputs';

/** A command, with what many of ours have. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  outOption(): this {
    return this.option('--out <file>', OUT, path);
  }

  /** For rows, which can be many. */
  compressOption(): this {
    const what = `compress what --out${this.name() === 'route' ? ' or --out-dir' : ''} gets; zstd needs Node.js 22.15, 23.8 or later, except in Parquet`;
    return this.option('--compress <name>', what, oneOf<Compression>(['gzip', 'zstd']));
  }

  tableOption(): this {
    const what = 'tsv: a table with a header; json: an object on each line';
    return this.option('--format <name>', what, oneOf(['tsv', 'json']), 'tsv');
  }

  rejectsOption(): this {
    return this.option('--rejects <file>', REJECTS, path).option(
      '--max-rejects <n>',
      'end the command when more rows than this are malformed (default: any number)',
      integer,
    );
  }

  /** Ends the help. */
  examples(...lines: readonly string[]): this {
    const title = lines.length === 1 ? 'Example' : 'Examples';
    return this.addHelpText('after', ['', `${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'));
  }
}
