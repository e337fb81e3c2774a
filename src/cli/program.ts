import { Command, CommanderError } from 'commander';
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
import { UsageError } from './usage.js';

const DONE = 0;
const FAILED = 1;
const BAD_USAGE = 2;

function makeProgram(): Command {
  const program = new Command('shardbits')
    .description('64-bit shard ids at memory speed.')
    .version(manifest.version, '--version')
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)')
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
  return program;
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
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : BAD_USAGE; // it has spoken already
  if (error.code === 'EPIPE') return DONE; // whoever reads has had enough
  process.stderr.write(`error: ${plain(error)}\n`);
  return error instanceof UsageError ? BAD_USAGE : FAILED;
}

/** Other than as a system call says it: `file: what went wrong`. */
function plain(error: Error & { code?: string; path?: string }): string {
  const [, problem] = /^[A-Z0-9]+: (.*?), \w+( '.*')?$/s.exec(error.message) ?? [];
  const { path, message } = error;
  if (problem === undefined) return path === undefined || message.includes(path) ? message : `${path}: ${message}`;
  return path === undefined ? problem : `${path}: ${problem}`;
}
