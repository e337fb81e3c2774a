import { type Argument, Command, CommanderError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addCompletion } from './completion.js';
import { addDecode } from './decode.js';
import { addDemo } from './demo.js';
import { addEncode } from './encode.js';
import { addHash } from './hash.js';
import { addHelp } from './help.js';
import { addInspect } from './inspect.js';
import { addIntern } from './intern.js';
import { addLeases } from './leases.js';
import { addMap } from './map.js';
import { addMint } from './mint.js';
import { addPlan } from './plan.js';
import { addRoute } from './route.js';
import { addStore } from './store.js';
import { BadValue, shown, UsageError } from './usage.js';

const DONE = 0;
const FAILED = 1;
const BAD_USAGE = 2;

function makeProgram(): Command {
  const program = new Command('shardbits')
    .description('64-bit shard ids at memory speed.')
    .version(manifest.version, '--version')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .addHelpText('after', '\nExamples:\n  shardbits route keys.txt --shards 1024\n  shardbits help route')
    .addHelpText('after', '\nExit codes: 0 done, 1 bad data or a failed read or write, 2 bad usage.');
  for (const add of [
    addRoute,
    addPlan,
    addMap,
    addHash,
    addDecode,
    addEncode,
    addMint,
    addIntern,
    addLeases,
    addStore,
    addInspect,
    addDemo,
    addCompletion,
    addHelp,
  ])
    add(program);
  nameValues(program);
  return program;
}

/** Makes the parsers of a command and its subcommands name the option or argument whose value they refuse. */
function nameValues(command: Command): void {
  for (const place of [...command.options, ...command.registeredArguments]) nameValue(place);
  for (const subcommand of command.commands) nameValues(subcommand);
}

function nameValue(place: Option | Argument): void {
  const { parseArg: parse } = place;
  if (parse === undefined) return;
  const name = place instanceof Option ? place.long : place.name().toUpperCase();
  const naming = (given: string, before: unknown) => {
    try {
      return parse(given, before as never);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      throw new UsageError(`${name}: expected ${error.expected}, got ${shown(given)}${error.hint}`);
    }
  };
  place.parseArg = Object.assign(naming, parse) as typeof parse;
}

/**
 * Runs a command line.
 * @param args what comes after the name of the program
 * @returns the exit code
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = makeProgram();
  if (args.length === 0) {
    program.outputHelp();
    return DONE;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    return report(error as Error & { code?: string; path?: string });
  }
}

function report(error: Error & { code?: string }): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : BAD_USAGE; // commander has printed the error
  if (error.code === 'EPIPE') return DONE; // the reader of the pipe has closed it
  process.stderr.write(`error: ${plain(error)}\n`);
  return error instanceof UsageError ? BAD_USAGE : FAILED;
}

/** Rewords the error of a system call as `file: what went wrong`. */
function plain(error: Error & { code?: string; path?: string }): string {
  const [, problem] = /^[A-Z0-9]+: (.*?), \w+( '.*')?$/s.exec(error.message) ?? [];
  const { path, message } = error;
  if (problem === undefined) return path === undefined || message.includes(path) ? message : `${path}: ${message}`;
  return path === undefined ? problem : `${path}: ${problem}`;
}
