import { getSystemErrorMap } from 'node:util';
import { Command, CommanderError, Help, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { withoutPassword } from '../arguments.js';
import { detailsOf, type ErrorDetails } from '../errors.js';
import type { CliCommand } from './options/command.js';
import { BadValue, Negative, oneOf, shown, suggestion, UsageError, withExamples, withNote } from './options/usage.js';
import { hasColors, paint, print, type Streams, say, sayOf, streams, widthOf, withStreams } from './terminal.js';

/** Adds `help COMMAND`. Commander's own does not suggest the nearest command. Call this after all others were added. */
function addHelp(program: Command): void {
  const help = program.helpCommand(false).command('help');
  const commands = new Map(program.commands.map((command) => [command.name(), command]));
  const names = [...commands.keys()];
  help
    .summary('show what a command does')
    .description('Show what a command does.')
    .argument('[command]', names.join(', '), oneOf(names))
    .argument('[subcommand]', 'a subcommand of a command such as store')
    .action((name?: string, subcommand?: string) => {
      const command = commands.get(name ?? '') ?? program;
      (subcommand === undefined ? command : subcommandOf(command, subcommand)).outputHelp();
    });
  withExamples(help, 'shardbits help route', 'shardbits help store copy');
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
  'Exit codes: 0 done; 1 bad data, a failed read or write, no verdict (detect) or misplaced rows (audit); 2 bad usage.';

type Loader = () => Promise<{ define(command: CliCommand): void }>;

interface Entry {
  readonly [name: string]: readonly [takes: string, summary: string, load: Loader];
}

/** By heading, what each command takes, what it does, and its definition, which is loaded when it is called. */
const COMMANDS: { readonly [heading: string]: Entry } = {
  'Route and plan:': {
    route: ['[file...]', 'write the shard of every key', () => import('./commands/route.js')],
    plan: [
      '[file...]',
      'count the keys that move when the number of shards or the map of nodes changes',
      () => import('./commands/plan.js'),
    ],
    detect: [
      '[file...]',
      'tell from keys and their shards which mapping placed them',
      () => import('./commands/detect.js'),
    ],
    audit: [
      '[file|dir...]',
      'find the rows that are in another shard than a mapping puts them',
      () => import('./commands/audit.js'),
    ],
    map: ['', 'make and change maps of which nodes hold which shards', () => import('./commands/map/map.js')],
    hash: ['[file...]', 'write the XXH64 of every key', () => import('./commands/hash.js')],
  },
  'Ids:': {
    decode: ['[id|file...]', 'split ids into their fields', () => import('./commands/decode.js')],
    encode: ['[field=value|file...]', 'make ids from the values of their fields', () => import('./commands/encode.js')],
    mint: ['', 'make new ids', () => import('./commands/mint.js')],
    inspect: ['', 'serve the inspector, a page that decodes ids', () => import('./commands/inspect.js')],
  },
  'Stores:': {
    intern: ['[file...]', 'give every string an id', () => import('./commands/intern.js')],
    leases: ['', 'list leased shards; end a lease or reset a mark', () => import('./commands/leases.js')],
    store: [
      '',
      'check, back up, restore or move a store of strings, types and leases',
      () => import('./commands/store.js'),
    ],
  },
  'More:': {
    sql: ['', 'write SQL that routes keys, reads ids or loads a map', () => import('./commands/sql.js')],
    vectors: ['', 'write known shards, to check a program in another language', () => import('./commands/vectors.js')],
    demo: ['', 'show what shardbits does, with made-up keys', () => import('./commands/demo.js')],
    completion: ['<shell>', 'write a script for shell completion', () => import('./commands/completion.js')],
  },
};

/** Defines the command that is called, or that help is asked about; of others, what the list of commands shows. */
async function makeProgram(args: readonly string[]): Promise<Command> {
  const program = withExamples(
    new Command('shardbits')
      .description('Route keys to shards; read and make 64-bit ids.')
      .version(manifest.version, '-v, --version')
      .exitOverride()
      .showHelpAfterError('(see --help)')
      .configureHelp({
        minWidthToWrap: 20,
        styleTitle: (title) => paint(title, 'heading'),
        // All have options.
        subcommandTerm: (command) => new Help().subcommandTerm(command).replace(' [options]', ''),
      })
      .configureOutput({
        writeOut: (text) => streams().stdout.write(text),
        writeErr: (text) => streams().stderr.write(text),
        outputError: sayRefusal,
        getOutHelpWidth: () => widthOf(streams().stdout),
        getOutHasColors: () => hasColors(streams().stdout),
      }),
    'shardbits route keys.txt --shards 1024',
    'shardbits help route',
  );
  withNote(program, EXIT_CODES);
  const [called = '', about = ''] = args.filter((arg) => !arg.startsWith('-'));
  const wanted = called === 'help' ? about : called;
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const [name, [takes, summary, load]] of Object.entries(commands)) {
      if (name === wanted || called === 'completion') await addCommand(program, name, summary, load);
      else program.command(`${name} ${takes}`).summary(summary);
    }
  }
  addHelp(program);
  nameValues(program);
  return program;
}

async function addCommand(program: Command, name: string, summary: string, load: Loader): Promise<void> {
  const [{ CliCommand }, { define }] = await Promise.all([import('./options/command.js'), load()]);
  const command = new CliCommand(name).copyInheritedSettings(program).summary(summary);
  define(command);
  program.addCommand(command);
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
    const program = await makeProgram(args);
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
