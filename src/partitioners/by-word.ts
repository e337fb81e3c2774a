import type { KeyKind } from './keys.js';
import { type Partitioner, partitioner } from './partitioner.js';
import type { System } from './system.js';
import { SYSTEM_NAMES, SYSTEMS, type SystemName } from './systems.js';

/** A system, and the word for one of its variants. */
export interface SystemVariant {
  readonly name: SystemName;
  readonly variant?: string | undefined;
}

export const definitionOf = (name: SystemName): System<object> => SYSTEMS[name] as System<object>;

/** The words for all systems and their variants, such as `rdkafka` and `rdkafka:fnv1a`. */
export const SYSTEM_WORDS: readonly string[] = /* @__PURE__ */ SYSTEM_NAMES.flatMap((name) => [
  name,
  ...Object.keys(definitionOf(name).choice?.values ?? {}).map((variant) => `${name}:${variant}`),
]);

/** @param word one of the SYSTEM_WORDS */
export function systemOfWord(word: string): SystemVariant {
  const [name, variant] = word.split(/:(.*)/s);
  return { name: name as SystemName, variant };
}

/**
 * A partitioner that needs only a number of shards.
 * @param shards ignored by systems with a fixed number; undefined for the system's default
 * @throws as {@link partitioner}
 */
export function partitionerOf(
  { name, variant }: SystemVariant,
  shards: number | undefined,
  key?: KeyKind | undefined,
): Partitioner {
  const { count, choice } = definitionOf(name);
  const options = {
    ...(count !== undefined && { [count]: shards }),
    ...(choice !== undefined && variant !== undefined && { [choice.option]: choice.values[variant] }),
    key,
  };
  return partitioner(name, options as never) as Partitioner;
}
