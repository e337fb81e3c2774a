import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { COMMANDS, MAP_COMMANDS, STORE_COMMANDS } from './command-names.js';

/** What a terminal obeys, reorders, hides or breaks a line at, by name. */
export const UNSEEN: Readonly<Record<string, string>> = {
  'a colour': '\x1b[31m',
  'a new title': '\x1b]0;title\x07',
  'a colour of C1': '\u009b31m',
  'a string of C1': '\u0090q\u009c',
  'a backspace': '\b\b',
  'a line break': '\nFORGED',
  'a carriage return': '\rFORGED',
  'the separator of lines': '\u2028FORGED',
  'the separator of paragraphs': '\u2029FORGED',
  'a next line': '\u0085FORGED',
  'a delete': '\x7f',
  'an override': '\u202egnp.',
  'an embedding': '\u202a\u202b\u202c\u202d',
  'an isolate': '\u2066\u2067\u2068\u2069',
  'a mark of direction': '\u200e\u200f\u061c',
  'no width': '\u200b\u200c\u200d\u2060\ufeff',
  'a soft hyphen': '\u00ad',
  'a filler': '\u3164\u115f',
  'a variant': '\ufe0f\u{e0101}',
  'a tag': '\u{e0041}\u{e007f}',
  'half of a pair': '\ud83d',
};
/** A text as UTF-8 has it, without halves of pairs. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

export const HOSTILE = `a${Object.values(UNSEEN).join('b')}c`;
/** A name may not have the control characters of ASCII. */
export const HOSTILE_NAME = wellFormed(HOSTILE.replace(/[^ -~\x80-\uffff]/g, ''));

/** Whether all of a text is seen, in lines of the program. */
export function expectSeen(text: string, what: string): void {
  expect(
    text.match(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|^FORGED/gmu)?.map((found) => found.codePointAt(0)),
    `${what}: ${JSON.stringify(text)}`,
  ).toBeUndefined();
}

const SUBCOMMANDS = [
  ...COMMANDS.filter((name) => name !== 'map' && name !== 'store'),
  ...MAP_COMMANDS.map((name) => `map ${name}`),
  ...STORE_COMMANDS.map((name) => `store ${name}`),
];

/** What a command needs so that it gets as far as one more option. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  route: ['keys', '--shards', '3', '--out', 'out'],
  plan: ['keys', '--from', '3', '--to', '4'],
  detect: ['rows', '--shards', '3'],
  audit: ['rows', '--shards', '3'],
  hash: ['keys', '--out', 'out'],
  decode: ['keys', '--layout', 'snowflake'],
  encode: ['keys', '--layout', 'a:8'],
  mint: ['--shard', '1'],
  'map create': ['--shards', '8', '--nodes', 'a,b', '--out', 'out'],
  'map change': ['map.json', '--out', 'out'],
  'map moves': ['map.json', 'next.json'],
  'map show': ['map.json'],
};

export interface Place {
  readonly what: string;
  /** Whether it is where the name of a store goes. */
  readonly isStore: boolean;
  args(text: string): string[];
}

/** Every place of a command line for a text: commands, options, the values of options, and arguments. */
export async function places(): Promise<Place[]> {
  const all: Place[] = [
    { what: 'a command', isStore: false, args: (text) => [text] },
    { what: 'a command to help with', isStore: false, args: (text) => ['help', text] },
    { what: 'a subcommand to help with', isStore: false, args: (text) => ['help', 'store', text] },
    { what: 'a subcommand that there is none of', isStore: false, args: (text) => ['help', 'route', text] },
  ];
  for (const command of SUBCOMMANDS) {
    const words = command.split(' ');
    const usual = [...words, ...(USUAL[command] ?? [])];
    const help = (await runHere([...words, '--help'])).stdout.toString();
    const ofStores =
      / <?(?:store|from|to)>| \[file\] \[options\]/.test(help.split('\n')[0] ?? '') && words[0] === 'store';
    all.push({ what: `an argument of ${command}`, isStore: ofStores, args: (text) => [...words, text, text] });
    all.push({ what: `an argument more of ${command}`, isStore: false, args: (text) => [...usual, text] });
    all.push({ what: `an option of ${command}`, isStore: false, args: (text) => [...usual, `--${text}`] });
    all.push({
      what: `a misspelt option of ${command}`,
      isStore: false,
      args: (text) => [...usual, `--stoer=${text}`],
    });
    for (const [, option, value = ''] of help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)(?: (<[^>]+>))?/gm)) {
      if (value === '') continue;
      const isStore = /path\|url/.test(value);
      all.push({ what: `${option} of ${command}`, isStore, args: (text) => [...usual, option as string, text] });
      all.push({ what: `${option}= of ${command}`, isStore, args: (text) => [...usual, `${option}=${text}`] });
    }
  }
  return all;
}

/** A folder with the files of {@link USUAL}, in which everything is foreign. */
export function foreignFolder(): string {
  const folder = temporaryFolder();
  const named = wellFormed(HOSTILE.replaceAll('/', ''));
  const invalid = Buffer.concat([Buffer.from(`${HOSTILE}\n`), Buffer.from([0x61, 0xff, 0xc0, 0x9b, 0x0a])]);
  for (const name of ['keys', 'rows', named]) writeFileSync(join(folder, name), invalid);
  const map = ShardMap.create({ shards: 8, nodes: [{ name: HOSTILE_NAME, zone: HOSTILE_NAME }, { name: 'b' }] });
  writeFileSync(join(folder, 'map.json'), JSON.stringify(map));
  writeFileSync(join(folder, 'next.json'), JSON.stringify(map.with({ nodes: [{ name: `${HOSTILE_NAME}2` }] })));
  mkdirSync(join(folder, 'shards'));
  writeFileSync(join(folder, 'shards', named), invalid);
  return folder;
}

/** Standard error has nothing unseen, wherever a foreign text is. @param step 1: in every place of a command line; 4: in every fourth */
export async function expectSeenInPlaces(step: number): Promise<void> {
  const cwd = foreignFolder();
  for (const [turn, { what, args }] of (await places()).entries()) {
    if (turn % step > 0) continue;
    const run = await runHere(args(HOSTILE), { cwd, input: [`${HOSTILE}\n`] }).catch((error) => {
      throw new Error(`${what}: ${error.message}`);
    });
    expectSeen(run.stderr, what);
  }
}
