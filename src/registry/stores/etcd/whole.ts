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
  shardOf,
  textOf,
} from './keys.js';
import { markOf } from './leases.js';
import type { EtcdMembers } from './members.js';

// Every transaction writes a string and its id in both directions, and a setting with its setter. So there are as many of
// the one as of the other at every revision, and counting them shows whether a copy of the keys is whole.

type Check = (read: IKeyValue, name: string) => unknown;

const idOf: Check = (read, name) => {
  if (numberOf(read) === 0n) throw damaged(keyNamed(read.key), 'an id', '0');
  if (isLong(name)) throw damaged(keyNamed(read.key), 'a shorter key', name);
};

const IN_SPACE: { readonly [folder: string]: Check } = {
  counter: (read) => [numberAtEnd(read.key, MAX_PREFIX_NUMBER), numberOf(read)],
  'id/key': idOf,
  'id/sha256': idOf,
  key: (read) => [numberAtEnd(read.key, MAX_NUMBER), textOf(read)],
};

/** All folders of a store, in the order of their keys, and what throws a StoreCorruptError if a key there is damaged. */
const FOLDERS = [
  ...Object.entries<Check>({
    setters() {},
    settings(read, name) {
      const text = textOf(read);
      if (name === STATE_SETTING) stateIn(text);
      else if (name === PREFIX_BITS_SETTING) prefixBitsIn(text);
      else if (NUMBERS.includes(name)) settingNumber(name, text);
    },
    'shards/holder': (read) => [shardOf(read.key), jsonOf(read)],
    'shards/mark': markOf,
  }),
  ...SPACES.flatMap((space) => Object.entries(IN_SPACE).map(([name, check]) => [`${space}/${name}`, check] as const)),
];
const NUMBERS = [TOKENS_SETTING, FLOOR_SETTING, ...SPACES.map(skippedSetting)];
const MAX_NAMES = 10;

/**
 * Counts the parts of a store, whatever state it has.
 * @returns false if there is no store
 * @throws StoreCorruptError that names what is missing, or what does not belong to a store
 */
export async function checkParts(members: EtcdMembers, keys: EtcdKeys): Promise<boolean> {
  const [first, end] = keys.all();
  // Every second range is a folder, and nothing is between them. Of the first two folders the names are needed.
  const bounds = [first, ...FOLDERS.flatMap(([name]) => keys.folder(name)), end];
  const isFolder = (i: number) => i % 2 === 1;
  const answers = await members.survey(
    bounds.slice(1).map((range_end, i) => {
      const wanted =
        isFolder(i) && i > 3 ? { count_only: true } : { keys_only: true, limit: isFolder(i) ? 0 : MAX_NAMES };
      return { key: bounds[i], range_end, ...wanted };
    }),
  );
  const folders = answers.filter((_, i) => isFolder(i));
  const [setters, settings] = folders.map(({ kvs }) => kvs.map(({ key }) => keys.nameOf(key).replace(/^.*?\//, '')));
  const counts = Object.fromEntries(FOLDERS.map(([name], i) => [name, Number(folders[i].count)]));
  const foreign = answers.filter((_, i) => !isFolder(i)).flatMap(({ kvs }) => kvs);
  if (foreign.length > 0) throw notWhole(keys, `it has keys that are not those of a store: ${listed(foreign, keys)}`);
  if (Object.values(counts).every((count) => count === 0)) return false;

  const lacking = [
    ...[STATE_SETTING, ...setters].filter((name) => !settings.includes(name)).map((name) => `settings/${name}`),
    ...settings.filter((name) => name !== STATE_SETTING && !setters.includes(name)).map((name) => `setters/${name}`),
    ...lacks('shards/mark', counts['shards/mark'], counts['shards/holder']),
    ...SPACES.flatMap((space) => {
      const [ids, strings] = [counts[`${space}/id/key`] + counts[`${space}/id/sha256`], counts[`${space}/key`]];
      const hasCounters = ids + strings === 0 || counts[`${space}/counter`] > 0;
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

/** Reads every key of a store. @throws StoreCorruptError that names the first one which is damaged */
export async function checkValues(members: EtcdMembers, keys: EtcdKeys): Promise<void> {
  for (const [folder, check] of FOLDERS) {
    for await (const piece of members.range(...keys.folder(folder))) {
      for (const read of piece) check(read, keys.nameOf(read.key).slice(folder.length + 1));
    }
  }
}

function listed(foreign: readonly IKeyValue[], keys: EtcdKeys): string {
  const names = foreign.slice(0, MAX_NAMES).map(({ key }) => describeValue(keys.nameOf(key)));
  return foreign.length > MAX_NAMES ? `${names.join(', ')} and more` : names.join(', ');
}

function notWhole({ given }: EtcdKeys, what: string): StoreCorruptError {
  return new StoreCorruptError(
    `the store under the prefix ${describeValue(given)} is not whole: ${what}; restore a backup`,
  );
}
