import type { Argument, Command, Option } from 'commander';
import { print } from './stdout.js';
import { oneOf, type Parser } from './usage.js';

const SCRIPTS = { bash, zsh, fish };
type Shell = keyof typeof SCRIPTS;

export function addCompletion(program: Command): void {
  const shells = Object.keys(SCRIPTS) as Shell[];
  program
    .command('completion')
    .summary('write a script that lets a shell complete what is typed')
    .description('Write a script that lets a shell complete commands, options, their words, and files.')
    .argument('<shell>', shells.join(', '), oneOf(shells))
    .addHelpText(
      'after',
      `
Examples:
  source <(shardbits completion bash)    in ~/.bashrc
  source <(shardbits completion zsh)     in ~/.zshrc, after compinit
  shardbits completion fish > ~/.config/fish/completions/shardbits.fish`,
    )
    .action((shell: Shell) => print(SCRIPTS[shell](program)));
}

/** What can stand in a place: one of some words, a file, a directory, or what nobody can guess. */
type Place = readonly string[] | 'file' | 'dir' | undefined;

interface Flag {
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly value: Place;
}

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly argument: Place;
}

function commandsOf(program: Command): Described[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    flags: flagsOf(command),
    argument: placeOf(command.registeredArguments[0]),
  }));
}

function flagsOf(command: Command): Flag[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      name: option.long ?? option.flags,
      description: option.description,
      takesValue: option.required || option.optional,
      value: placeOf(option),
    }));
}

/** By its parser or by what help calls it. */
function placeOf(what: Option | Argument | undefined): Place {
  const { words } = (what?.parseArg ?? {}) as Partial<Parser<unknown>>;
  if (words !== undefined) return words;
  const name = what !== undefined && 'flags' in what ? /<(\w+)/.exec(what.flags)?.[1] : what?.name();
  return name === 'file' || name === 'dir' ? name : undefined;
}

function bash(program: Command): string {
  const offer = (place: Place) => {
    if (place === 'file') return 'compopt -o default'; // as readline does by itself
    if (place === 'dir') return 'compopt -o dirnames';
    return place === undefined ? ':' : `words='${place.join(' ')}'`;
  };
  const commands = commandsOf(program);
  const values = commands.flatMap(({ name, flags }) =>
    flags.filter(({ takesValue }) => takesValue).map((flag) => `    '${name} ${flag.name}') ${offer(flag.value)} ;;`),
  );
  const rest = commands.flatMap(({ name, flags, argument }) => [
    `    '${name} '*) if [[ $current == -* ]]; then ${offer(flags.map((flag) => flag.name))}; else ${offer(argument)}; fi ;;`,
  ]);
  const first = [...commands, ...flagsOf(program)].map(({ name }) => name);
  return `_shardbits() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words=
  # bash parts --option=value at the =
  if [[ $current == = ]]; then current=; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then words='${first.join(' ')}'
  else case "\${COMP_WORDS[1]} $before" in
${[...values, ...rest].join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _shardbits shardbits
`;
}

function zsh(program: Command): string {
  const offer = (place: Place) => {
    if (place === 'file') return '_files';
    if (place === 'dir') return '_files -/';
    return place === undefined ? '' : `(${place.join(' ')})`;
  };
  const spec = ({ name, description, takesValue, value }: Flag) => {
    const explained = `[${description.replace(/[[\]\\]/g, '\\$&')}]`;
    return quoted(takesValue ? `${name}=${explained}:value:${offer(value)}` : `${name}${explained}`);
  };
  const commands = commandsOf(program);
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`));
  const cases = commands.map(({ name, flags, argument }) => {
    const specs = [...flags.map(spec), quoted(`*:argument:${offer(argument)}`)];
    return `    ${name}) _arguments ${specs.join(' ')} ;;`;
  });
  return `#compdef shardbits
_shardbits() {
  local state line
  typeset -A opt_args
  _arguments -C ${flagsOf(program).map(spec).join(' ')} '1:command:->command' '*::argument:->argument'
  case $state in
  command)
    local -a commands=(${described.join(' ')})
    _describe command commands ;;
  argument)
    case $words[1] in
${cases.join('\n')}
    esac ;;
  esac
}
if [[ $funcstack[1] == _shardbits ]]; then _shardbits "$@"; else compdef _shardbits shardbits; fi
`;
}

function fish(program: Command): string {
  const offer = (place: Place) => {
    if (place === 'file') return ' -F';
    if (place === 'dir') return " -f -a '(__fish_complete_directories)'";
    return place === undefined ? ' -f' : ` -f -a ${quoted(place.join(' '))}`;
  };
  const line = (condition: string, rest: string) => `complete -c shardbits -n ${quoted(condition)}${rest}`;
  const flagLines = (condition: string, flags: readonly Flag[]) =>
    flags.map(({ name, description, takesValue, value }) => {
      const what = takesValue ? ` -r${offer(value)}` : '';
      return line(condition, ` -l ${name.slice(2)}${what} -d ${quoted(description)}`);
    });
  const none = '__fish_use_subcommand';
  const lines = commandsOf(program).flatMap(({ name, summary, flags, argument }) => {
    const given = `__shardbits_does ${name}`;
    return [line(none, ` -a ${name} -d ${quoted(summary)}`), ...flagLines(given, flags), line(given, offer(argument))];
  });
  return `function __shardbits_does
  set -l typed (commandline -opc)
  test "$typed[2]" = $argv[1]
end
${['complete -c shardbits -f', ...flagLines(none, flagsOf(program)), ...lines].join('\n')}
`;
}

/** For all three shells: a backslash is written as itself only where no quote follows. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
