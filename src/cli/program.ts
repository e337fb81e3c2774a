import { getSystemErrorMap } from 'node:util';
import { type Command, CommanderError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { withoutPassword } from '../arguments.js';
import { detailsOf, type ErrorDetails } from '../errors.js';
import { addAudit } from './commands/audit.js';
import { addCompletion } from './commands/completion.js';
import { addDecode } from './commands/decode.js';
import { addDemo } from './commands/demo.js';
import { addDetect } from './commands/detect.js';
import { addEncode } from './commands/encode.js';
import { addHash } from './commands/hash.js';
import { addInspect } from './commands/inspect.js';
import { addIntern } from './commands/intern.js';
import { addLeases } from './commands/leases.js';
import { addMap } from './commands/map/map.js';
import { addMint } from './commands/mint.js';
import { addPlan } from './commands/plan.js';
import { addRoute } from './commands/route.js';
import { addSql } from './commands/sql.js';
import { addStore } from './commands/store.js';
import { addVectors } from './commands/vectors.js';
import { print } from './io/output.js';
import { CliCommand } from './options/command.js';
import { BadValue, Negative, oneOf, shown, suggestion, UsageError } from './options/usage.js';
import { type Streams, say, sayOf, streams, withStreams } from './terminal.js';

/** Adds `help COMMAND`. Commander's own does not suggest the nearest command. Call this after all others were added. */
function addHelp(program: CliCommand): void {
  const help = program.helpCommand(false).command('help');
  const commands = new Map(program.commands.map((command) => [command.name(), command]));
  const names = [...commands.keys()];
  help
    .summary('show what a command does')
    .description('Show what a command does.')
    .argument('[command]', names.join(', '), oneOf(names))
    .argument('[subcommand]', 'a subcommand of a command such as store')
    .examples('shardbits help route', 'shardbits help store copy')
    .action((name?: string, subcommand?: string) => {
      const command = commands.get(name ?? '') ?? program;
      (subcommand === undefined ? command : subcommandOf(command, subcommand)).outputHelp();
    });
}

function subcommandOf(command: Command, name: string): Command {
  const found = command.commands.find((one) => one.name() === name);
  if (found !== undefined) return found;
  const names = command.commands.map((one) => one.name());
  if (names.length === 0) throw new UsageError(`${command.name()} has no subcommands, got ${shown(name)}`);
  throw new UsageError(`expected one of ${names.join(', ')}, got ${shown(name)}${suggestion(name, names)}`);
}

const DONE = 0;
const FAILED = 1;
const BAD_USAGE = 2;
const EXIT_CODES =
  'Exit codes: 0 done; 1 bad data, a failed read or write, no verdict (detect) or\nmisplaced rows (audit); 2 bad usage.';

/** What adds each command, by its name. */
const COMMANDS: { readonly [name: string]: (program: CliCommand) => void } = {
  route: addRoute,
  plan: addPlan,
  detect: addDetect,
  audit: addAudit,
  map: addMap,
  hash: addHash,
  decode: addDecode,
  encode: addEncode,
  mint: addMint,
  intern: addIntern,
  leases: addLeases,
  store: addStore,
  sql: addSql,
  vectors: addVectors,
  inspect: addInspect,
  demo: addDemo,
};

/** Adds the command that is called alone, because all of them take some milliseconds; all of them if it is none of these. */
function makeProgram(called = ''): CliCommand {
  const program = new CliCommand('shardbits')
    .description('Route keys to shards; read and make 64-bit ids.')
    .version(manifest.version, '--version')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => streams().stdout.write(text),
      writeErr: (text) => streams().stderr.write(text),
      outputError: sayRefusal,
    })
    .examples('shardbits route keys.txt --shards 1024', 'shardbits help route')
    .addHelpText('after', `\n${EXIT_CODES}`);
  const own = Object.hasOwn(COMMANDS, called) ? COMMANDS[called] : undefined;
  for (const add of own ? [own] : [...Object.values(COMMANDS), addCompletion, addHelp]) add(program);
  nameValues(program);
  return program;
}

/** Makes the parsers of a command and its subcommands name the option or argument whose value they refuse. */
function nameValues(command: Command): void {
  for (const place of [...command.options, ...command.registeredArguments]) {
    const { parseArg: parse } = place;
    if (parse === undefined) continue;
    const name = place instanceof Option ? place.long : place.name().toUpperCase();
    const naming = (given: string, before: unknown) => {
      try {
        return parse(given, before as never);
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        throw new UsageError(`${name}: expected ${error.expected}, got ${error.got ?? shown(given)}${error.hint}`);
      }
    };
    place.parseArg = Object.assign(naming, parse) as typeof parse;
  }
  for (const subcommand of command.commands) nameValues(subcommand);
}

/**
 * Runs a command line.
 * @param args what comes after the name of the program
 * @param given what it reads and writes instead of the streams of the process; several may run at a time then
 * @returns the exit code
 */
export function run(args: readonly string[], given?: Streams): Promise<number> {
  return withStreams(given, async () => {
    const program = makeProgram(args[0]);
    try {
      if (args.length === 0) program.outputHelp();
      else await program.parseAsync(args, { from: 'user' }).catch(unlessShown);
      await print(''); // rejects if help could not be written
      return DONE;
    } catch (error) {
      return report(error, args);
    }
  });
}

/** Help and the version, which have been printed, end the parsing with an error. */
function unlessShown(error: unknown): void {
  if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
}

/** Prints an error of commander. Its suggestion is a line of its own. */
function sayRefusal(text: string): void {
  const [, problem = '', suggestion] = /^(.*?)(?:\n(\(Did you mean [-\w, ]+\?\)))?\n$/s.exec(text) ?? [];
  const masked = problem.replace(/'(.*)'/s, (_, given: string) => `'${withoutPassword(given)}'`);
  say(masked, ...(suggestion === undefined ? [] : [suggestion]));
}

function report(error: unknown, args: readonly string[]): number {
  if (error instanceof CommanderError) return BAD_USAGE; // commander has printed the error
  if (detailsOf(error).code === 'EPIPE') return DONE; // the reader of the pipe has closed it
  if (error instanceof Negative) return FAILED;
  sayOf(args, `error: ${plain(detailsOf(error))}`);
  return error instanceof UsageError ? BAD_USAGE : FAILED;
}

/** Rewords the error of a system call as `file: what went wrong`. */
function plain({ message, code, errno, path }: ErrorDetails): string {
  const [, problem = ''] = (errno !== undefined && getSystemErrorMap().get(errno)) || [];
  const told = problem !== '' && message.startsWith(`${code}: ${problem}`) ? problem : message;
  return path === undefined || told.includes(path) ? told : `${path}: ${told}`;
}
