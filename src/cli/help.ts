import type { Command } from 'commander';
import { oneOf } from './usage.js';

/** `help COMMAND`, in place of commander's own, which does not say what a misspelt command may be. To be added last. */
export function addHelp(program: Command): void {
  const help = program.helpCommand(false).command('help');
  const commands = new Map(program.commands.map((command) => [command.name(), command]));
  const names = [...commands.keys()];
  help
    .summary('show what a command does')
    .description('Show what a command does.')
    .argument('[command]', names.join(', '), oneOf(names))
    .addHelpText('after', '\nExample:\n  shardbits help route')
    .action((name?: string) => (commands.get(name ?? '') ?? program).outputHelp());
}
