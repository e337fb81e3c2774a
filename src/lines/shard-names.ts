import { checkOptions, checkRecord, checkString, typeName, wrongKind, wrongValue } from '../arguments.js';
import { hasControlCharacter } from '../columns/control-characters.js';
import type { Batch } from './batch.js';

/** Names of shards, such as the nodes that hold them. Several shards may have the same name. */
export interface ShardNames {
  /** The names: 1 to 65,535 texts, each once and without control characters. */
  texts: readonly string[];
  /** For each shard, the index of its name in `texts`. */
  ofShard: Uint8Array | Uint16Array | Uint32Array;
}

const MOST_TEXTS = 65_535;

/** @returns the names as plain data, for another thread */
export function checkShardNames(names: ShardNames | undefined, shards: number): ShardNames | undefined {
  if (names === undefined) return undefined;
  checkRecord('names', names);
  const { texts, ofShard } = checkOptions(names, ['texts', 'ofShard'], 'names');
  if (!Array.isArray(texts)) throw wrongKind('names.texts', 'an array of strings', texts);
  if (texts.length < 1 || texts.length > MOST_TEXTS) {
    throw wrongValue('names.texts', `1 to ${MOST_TEXTS} texts`, texts.length);
  }
  const seen = new Set<string>();
  for (const [row, text] of texts.entries()) {
    checkString('names.texts', text);
    if (hasControlCharacter(text)) throw wrongValue('names.texts', 'no control characters', text, row);
    if (seen.has(text)) throw wrongValue('names.texts', 'each text once', text, row);
    seen.add(text);
  }
  if (!/^Uint(8|16|32)Array$/.test(typeName(ofShard))) {
    throw wrongKind('names.ofShard', 'a Uint8Array, Uint16Array or Uint32Array', ofShard);
  }
  if (ofShard.length !== shards)
    throw wrongValue('names.ofShard', `a text for each of ${shards} shards`, ofShard.length);
  const shard = ofShard.findIndex((text) => text >= texts.length);
  if (shard >= 0)
    throw wrongValue('names.ofShard', `the index of a text, 0 to ${texts.length - 1}`, ofShard[shard], shard);
  return { texts: Array.from(texts), ofShard: ofShard.slice() };
}

/** Replaces the shards of lines by the indexes of their names, in place. */
export function withNames(lines: Batch, names: ShardNames | undefined): Batch {
  if (names === undefined) return lines;
  const { shards } = lines;
  const { ofShard } = names;
  for (let row = 0; row < shards.length; row++) shards[row] = ofShard[shards[row] as number] as number;
  return lines;
}
