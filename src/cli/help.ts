import type { Command } from 'commander';
import { oneOf, suggestion, UsageError } from './usage.js';

/** Adds `help COMMAND`. Commander's own does not suggest the nearest command. Call this after all others were added. */
export function addHelp(program: Command): void {
  const help = program.helpCommand(false).command('help');
  const commands = new Map(program.commands.map((command) => [command.name(), command]));
  const names = [...commands.keys()];
  help
    .summary('show what a command does')
    .description('Show what a command does.')
    .argument('[command]', names.join(', '), oneOf(names))
    .argument('[subcommand]', 'a subcommand of a command such as store')
    .addHelpText('after', '\nExamples:\n  shardbits help route\n  shardbits help store copy')
    .action((name?: string, subcommand?: string) => {
      const command = commands.get(name ?? '') ?? program;
      (subcommand === undefined ? command : subcommandOf(command, subcommand)).outputHelp();
    });
}

function subcommandOf(command: Command, name: string): Command {
  const found = command.commands.find((one) => one.name() === name);
  if (found !== undefined) return found;
  const names = command.commands.map((one) => one.name());
  if (names.length === 0) throw new UsageError(`${command.name()} has no subcommands, got "${name}"`);
  throw new UsageError(`expected one of ${names.join(', ')}, got "${name}"${suggestion(name, names)}`);
}
