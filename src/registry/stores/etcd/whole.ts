import type { IKeyValue } from 'etcd3';
import { describeValue } from '../../../arguments.js';
import { StoreCorruptError } from '../../../errors.js';
import { STATE_SETTING, stateIn } from '../../identity.js';
import { FLOOR_SETTING, PREFIX_BITS_SETTING, SPACES, skippedSetting, TOKENS_SETTING } from '../../store.js';
import { damaged, prefixBitsIn, settingNumber } from '../../values.js';
import {
  type EtcdKeys,
  isLong,
  jsonOf,
  keyNamed,
  MAX_NUMBER,
  MAX_PREFIX_NUMBER,
  numberAtEnd,
  numberOf,
  textOf,
} from './keys.js';
import { markOf } from './leases.js';
import type { EtcdMembers } from './members.js';

// Every transaction writes a string and its id in both directions, and a setting with its setter. So there are as many of
// the one as of the other at every revision, and counting them shows whether a copy of the keys is whole.

/** All folders of a store but those of settings, in the order of their keys. */
const FOLDERS = [
  ...['shards/holder', 'shards/mark'],
  ...SPACES.flatMap((space) => ['counter', 'id/key', 'id/sha256', 'key'].map((folder) => `${space}/${folder}`)),
];
const NUMBERS = [TOKENS_SETTING, FLOOR_SETTING, ...SPACES.map(skippedSetting)];
const MAX_NAMES = 10;

/**
 * Counts the parts of a store, whatever state it has.
 * @returns false if there is no store
 * @throws StoreCorruptError that names what is missing, or what does not belong to a store
 */
export async function checkParts(members: EtcdMembers, keys: EtcdKeys): Promise<boolean> {
  const folders = ['setters', 'settings', ...FOLDERS].map((name) => keys.folder(name));
  const [first, end] = keys.all();
  const starts = [first, ...folders.map(([, after]) => after)];
  const gaps = starts.map((start, i) => [start, folders[i]?.[0] ?? end] as const);
  const answers = await members.survey([
    ...folders.map(([key, range_end], i) => ({
      key,
      range_end,
      ...(i < 2 ? { keys_only: true } : { count_only: true }),
    })),
    ...gaps.map(([key, range_end]) => ({ key, range_end, keys_only: true, limit: MAX_NAMES })),
  ]);
  const [setters, settings] = answers
    .slice(0, 2)
    .map(({ kvs }) => kvs.map(({ key }) => keys.nameOf(key).replace(/^.*?\//, '')));
  const counts = new Map(FOLDERS.map((name, i) => [name, Number(answers[i + 2].count)]));
  const foreign = answers.slice(folders.length).flatMap(({ kvs }) => kvs);
  if (foreign.length > 0) throw notWhole(keys, `it has keys that are not those of a store: ${listed(foreign, keys)}`);
  if (setters.length + settings.length === 0 && [...counts.values()].every((count) => count === 0)) return false;

  const countOf = (name: string) => counts.get(name) ?? 0;
  const lacking = [
    ...[STATE_SETTING, ...setters].filter((name) => !settings.includes(name)).map((name) => `settings/${name}`),
    ...settings.filter((name) => name !== STATE_SETTING && !setters.includes(name)).map((name) => `setters/${name}`),
    ...lacks('shards/mark', countOf('shards/mark'), countOf('shards/holder')),
    ...SPACES.flatMap((space) => {
      const [ids, strings] = [countOf(`${space}/id/key`) + countOf(`${space}/id/sha256`), countOf(`${space}/key`)];
      const hasCounters = ids + strings === 0 || countOf(`${space}/counter`) > 0;
      return [
        ...(hasCounters ? [] : [`${space}/counter`]),
        ...lacks(`${space}/id`, ids, strings),
        ...lacks(`${space}/key`, strings, ids),
      ];
    }),
  ];
  if (lacking.length > 0) throw notWhole(keys, `it lacks ${lacking.join(', ')}`);
  return true;
}

/** What is missing from a folder that has as many keys as another one, or more. */
function lacks(name: string, kept: number, expected: number): string[] {
  return kept < expected ? [`${expected - kept} of ${expected} keys in ${name}`] : [];
}

/** Reads every key of a store. @throws StoreCorruptError that names the first one which is foreign or damaged */
export async function checkValues(members: EtcdMembers, keys: EtcdKeys): Promise<void> {
  for await (const piece of members.range(...keys.all())) {
    for (const read of piece) {
      const [, ofStore, ofSpace, name] = KINDS.exec(keys.nameOf(read.key)) ?? [];
      CHECKS[ofStore ?? ofSpace]?.(read, name, keys);
    }
  }
}

const KINDS =
  /^(?:(settings|setters|shards\/(?:mark|holder))|(?:strings|types)\/(counter|key|id\/key|id\/sha256))\/(.*)$/s;

function idOf(read: IKeyValue, name: string): void {
  if (numberOf(read) === 0n) throw damaged(keyNamed(read.key), 'an id', '0');
  if (isLong(name)) throw damaged(keyNamed(read.key), 'a shorter key', name);
}

const CHECKS: { readonly [kind: string]: (read: IKeyValue, name: string, keys: EtcdKeys) => unknown } = {
  settings(read, name) {
    if (name === STATE_SETTING) stateIn(textOf(read));
    else if (name === PREFIX_BITS_SETTING) prefixBitsIn(textOf(read));
    else if (NUMBERS.includes(name)) settingNumber(name, textOf(read));
    else textOf(read);
  },
  'shards/mark': (read, _, keys) => markOf(read, keys),
  'shards/holder': (read, _, keys) => [keys.shardOf(read.key), jsonOf(read)],
  counter: (read) => [numberAtEnd(read.key, MAX_PREFIX_NUMBER), numberOf(read)],
  key: (read) => [numberAtEnd(read.key, MAX_NUMBER), textOf(read)],
  'id/key': idOf,
  'id/sha256': idOf,
};

function listed(foreign: readonly IKeyValue[], keys: EtcdKeys): string {
  const names = foreign.slice(0, MAX_NAMES).map(({ key }) => describeValue(keys.nameOf(key)));
  return foreign.length > MAX_NAMES ? `${names.join(', ')} and more` : names.join(', ');
}

function notWhole({ given }: EtcdKeys, what: string): StoreCorruptError {
  return new StoreCorruptError(
    `the store under the prefix ${describeValue(given)} is not whole: ${what}; restore a backup`,
  );
}
