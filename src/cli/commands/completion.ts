import type { Argument, Command, Option } from 'commander';
import { inShell, namesIn } from '../../arguments.js';
import type { CliCommand } from '../options/command.js';
import { oneOf, type Parser } from '../options/usage.js';
import { print } from '../terminal.js';

const SCRIPTS = { bash, zsh, fish };
type Shell = keyof typeof SCRIPTS;

export function define(command: CliCommand): void {
  const shells = namesIn(SCRIPTS);
  command
    .description('Write a script with which a shell completes commands, options, their values, and files.')
    .argument('<shell>', shells.join(', '), oneOf(shells))
    .examples(
      'source <(shardbits completion bash)    in ~/.bashrc',
      'source <(shardbits completion zsh)     in ~/.zshrc, after compinit',
      'shardbits completion fish > ~/.config/fish/completions/shardbits.fish',
    )
    .action((shell: Shell, _, { parent }: Command) => print(parent === null ? '' : SCRIPTS[shell](parent)));
}

/** What can be completed in a place: some words, files or directories; undefined if nothing can. */
type Candidates = readonly string[] | 'file' | 'dir' | undefined;

type Flag = ReturnType<typeof flagsOf>[number];

interface Described {
  /** The name of a subcommand comes after that of its command and a space. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** What its first argument can be: the names of its subcommands if it has subcommands. */
  readonly argument: Candidates;
  readonly subcommands: readonly Described[];
}

function commandsOf(parent: Command, prefix = ''): Described[] {
  return parent.commands.map((command) => {
    const name = prefix + command.name();
    const subcommands = commandsOf(command, `${name} `);
    const words = command.commands.map((one) => one.name());
    const argument = words.length > 0 ? words : placeOf(command.registeredArguments[0]);
    return { name, summary: command.summary(), flags: flagsOf(command), argument, subcommands };
  });
}

function flagsOf(command: Command) {
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

/** Finds out what to complete from the parser of an option or argument, or from its name in help. */
function placeOf(what: Option | Argument | undefined): Candidates {
  const { words } = (what?.parseArg ?? {}) as Partial<Parser<unknown>>;
  if (words !== undefined) return words;
  const name = what !== undefined && 'flags' in what ? /<(\w+)/.exec(what.flags)?.[1] : what?.name();
  if (name === 'path' || name === 'store' || name === 'from' || name === 'to' || name === 'map') return 'file'; // or a URL
  if (name?.endsWith('|file')) return 'file'; // or an id, or a field with its value
  return name === 'file' || name === 'dir' ? name : undefined;
}

/** How a shell completes each kind of place. */
function offering(file: string, dir: string, nothing: string, ofWords: (words: string) => string) {
  return (place: Candidates) => {
    if (place === 'file') return file;
    if (place === 'dir') return dir;
    return place === undefined ? nothing : ofWords(place.join(' '));
  };
}

function bash(program: Command): string {
  // For files, the default completion of readline.
  const offer = offering('compopt -o default', 'compopt -o dirnames', ':', (words) => `words='${words}'`);
  const commands = commandsOf(program);
  const parents = commands.filter(({ subcommands }) => subcommands.length > 0).map(({ name }) => name);
  const all = commands.flatMap((command) => [...command.subcommands, command]); // the longer names first
  const values = all.flatMap(({ name, flags }) =>
    flags.filter(({ takesValue }) => takesValue).map((flag) => `    '${name} ${flag.name}') ${offer(flag.value)} ;;`),
  );
  const rest = all.flatMap(({ name, flags, argument }) => [
    `    '${name} '*) if [[ $current == -* ]]; then ${offer(flags.map((flag) => flag.name))}; else ${offer(argument)}; fi ;;`,
  ]);
  const first = [...commands, ...flagsOf(program)].map(({ name }) => name);
  return `_shardbits() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words=
  local command=\${COMP_WORDS[1]}
  if ((COMP_CWORD > 2)); then case $command in ${parents.join('|')}) command+=" \${COMP_WORDS[2]}" ;; esac; fi
  # bash splits --option=value at the =
  if [[ $current == = ]]; then current=; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then words='${first.join(' ')}'
  else case "$command $before" in
${[...values, ...rest].join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _shardbits shardbits
`;
}

function zsh(program: Command): string {
  const offer = offering('_files', '_files -/', '', (words) => `(${words})`);
  const spec = ({ name, description, takesValue, value }: Flag) => {
    const explained = `[${description.replace(/[[\]\\]/g, '\\$&')}]`;
    return inShell(takesValue ? `${name}=${explained}:value:${offer(value)}` : `${name}${explained}`);
  };
  const commands = commandsOf(program);
  const described = commands.map(({ name, summary }) => inShell(`${name}:${summary}`));
  const caseOf = ({ name, flags, argument, subcommands }: Described): string => {
    const specs = [...flags.map(spec), inShell(`*:argument:${offer(argument)}`)].join(' ');
    const word = name.split(' ').at(-1);
    if (subcommands.length === 0) return `    ${word}) _arguments ${specs} ;;`;
    return `    ${word})
      if ((CURRENT == 2)); then _arguments ${specs}
      else
        shift words; ((CURRENT--))
        case $words[1] in
${subcommands.map(caseOf).join('\n')}
        esac
      fi ;;`;
  };
  const cases = commands.map(caseOf);
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

/**
 * fish reads the quotes of a POSIX shell, except that `\\` and `\'` between them are one character: no text here has a
 * backslash before another one, before a quote or at its end.
 */
function fish(program: Command): string {
  const offer = offering(' -F', " -f -a '(__fish_complete_directories)'", ' -f', (words) => ` -f -a ${inShell(words)}`);
  const line = (condition: string, rest: string) => `complete -c shardbits -n ${inShell(condition)}${rest}`;
  const flagLines = (condition: string, flags: readonly Flag[]) =>
    flags.map(({ name, description, takesValue, value }) => {
      const what = takesValue ? ` -r${offer(value)}` : '';
      return line(condition, ` -l ${name.slice(2)}${what} -d ${inShell(description)}`);
    });
  const none = '__fish_use_subcommand';
  const linesOf = (before: string, { name, summary, flags, argument, subcommands }: Described): string[] => {
    const here = `__shardbits_does ${name}`;
    const offered = line(before, ` -a ${name.split(' ').at(-1)} -d ${inShell(summary)}`);
    if (subcommands.length === 0) return [offered, ...flagLines(here, flags), line(here, offer(argument))];
    const alone = `${here} ''`;
    return [offered, ...flagLines(alone, flags), ...subcommands.flatMap((command) => linesOf(alone, command))];
  };
  const lines = commandsOf(program).flatMap((command) => linesOf(none, command));
  return `function __shardbits_does
  set -l typed (commandline -opc)
  test "$typed[2]" = $argv[1]; or return
  test (count $argv) -eq 1; or test "$typed[3]" = "$argv[2]"
end
${['complete -c shardbits -f', ...flagLines(none, flagsOf(program)), ...lines].join('\n')}
`;
}
