import { checkOneOf, checkOptions, MAX_BUCKETS } from '../arguments.js';
import { KEY_KINDS, type KeyKind } from './keys.js';
import { type KeyKinds, type Partitioner, type PartitionerJson, partitionerOf } from './partitioner.js';
import type { Configuration } from './system.js';
import type { RingServer } from './systems/rings.js';
import { definitionOf, SYSTEM_NAMES, type SystemName } from './systems.js';

/** What is known of a system, or of a variant of one, before its partitioner is made. */
export interface SystemVariant {
  /** The name of the system, such as `kafka`; for a variant with its word behind a colon, such as `kafka:unsigned`. */
  readonly word: string;
  readonly system: SystemName;
  /** The options of {@link partitioner} that make the variant, such as `{ variant: 'unsigned' }`. */
  readonly options: { readonly [option: string]: unknown };
  /** Whether the variant has a longer word, too: `spark` is `spark:hash`. */
  readonly isShort: boolean;
  /** The option that is the number of shards, such as `partitions`; undefined if the number is fixed, or that of servers. */
  readonly count: string | undefined;
  /** The largest number of shards. */
  readonly most: number;
  /** What a shard is called, such as `partition`. */
  readonly noun: string;
  /** Whether it needs servers instead of a number of shards. */
  readonly hasServers: boolean;
  /** The kinds of keys that it has, the usual one first. */
  readonly keys: readonly KeyKind[];
  /** How many columns a key may have. */
  readonly columns: number;
}

/**
 * All systems and their variants by their words, for forms and help texts, and for programs that are told the system when
 * they run. {@link partitionerNamed} takes the words, and so does `--as` on the command line.
 */
export const systems: { readonly [word: string]: SystemVariant } = /* @__PURE__ */ Object.fromEntries(
  SYSTEM_NAMES.flatMap(variantsOf).map((variant) => [variant.word, variant]),
);

function variantsOf(system: SystemName): SystemVariant[] {
  const { count, options: names, max: most = MAX_BUCKETS, choice, ...definition } = definitionOf(system);
  const { noun = (count ?? 'shards').slice(0, -1) } = definition;
  const hasServers = names.includes('servers');
  const variantOf = (word: string, options: object, isShort = false): SystemVariant => ({
    word,
    system,
    options: { ...options },
    isShort,
    count,
    most,
    noun,
    hasServers,
    get keys() {
      const { hashers } = anyOf(this);
      const usual = definition.key ?? ('text' in hashers ? 'text' : 'int64');
      return [usual, ...KEY_KINDS.filter((kind) => kind in hashers && kind !== usual)];
    },
    get columns() {
      return anyOf(this).columns?.most ?? 1;
    },
  });
  const { option = '', values = [], without } = choice ?? {};
  const words = Array.isArray(values) ? values.map((word: string) => [word, word] as const) : Object.entries(values);
  return [
    ...(without === 'refused' ? [] : [variantOf(system, {}, without === 'one of them')]),
    ...words.map(([word, value]) => variantOf(`${system}:${word}`, { [option]: value })),
  ];
}

/**
 * How many shards there are, or the servers that they are, and the kind of keys.
 * @inline
 */
interface NamedOptions {
  shards?: number | undefined;
  servers?: readonly RingServer[] | undefined;
  key?: KeyKinds | undefined;
}

/**
 * Makes a partitioner by the word of a system or of one of its variants.
 * @param word one of the words of {@link systems}
 * @param options.shards the number of shards; ignored by a system that has a fixed number, or servers
 * @param options.servers the servers of a system that has some
 * @param options.key the kind of keys; by default the first one of the word's `keys`
 * @throws TypeError or RangeError as {@link partitioner}; errors name the options of the system, such as `partitions`
 * @example
 * partitionerNamed('kafka:unsigned', { shards: 12 }).route('user:1');
 */
export function partitionerNamed(word: string, options?: NamedOptions): Partitioner {
  checkOneOf('word', word, Object.keys(systems));
  const { key = systems[word].keys[0], ...rest } = checkOptions(options, ['shards', 'servers', 'key']);
  return partitionerOf(systems[word].system, { ...optionsFor(systems[word], rest), key });
}

/** The variant of a system that a partitioner is. */
export function variantOf({ system, ...options }: PartitionerJson): SystemVariant {
  const isIt = (one: SystemVariant) =>
    one.system === system && Object.entries(one.options).every(([name, value]) => options[name] === value);
  const [variant] = Object.values(systems).filter(isIt).reverse(); // one without options comes first
  return variant;
}

/** How a variant places keys in any number of shards. */
const anyOf = (variant: SystemVariant): Configuration =>
  configurationOf(variant, variant.hasServers ? { servers: [{ name: 'any' }] } : { shards: 1 });

/** How a system places keys. @throws as {@link partitioner} */
export function configurationOf(variant: SystemVariant, shards: Omit<NamedOptions, 'key'>): Configuration {
  return definitionOf(variant.system).configure(optionsFor(variant, shards));
}

function optionsFor({ options, count }: SystemVariant, { shards, servers }: NamedOptions): object {
  return { ...options, ...(count !== undefined && { [count]: shards }), ...(servers !== undefined && { servers }) };
}
