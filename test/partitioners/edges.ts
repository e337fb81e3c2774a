import { describe, expect, it } from 'vitest';
import type { BytesColumn } from '../../src/index.js';
import { partitionerNamed, systems } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { IS_FULL } from '../support/scale.js';
import { type ChecksumName, HASH_EDGES, KEYS_OF_CHECKSUM } from '../vectors/hash-edges.js';
import { type AnyPartitioner, bytesColumn, isUtf16, make } from './samples.js';

type Keys = readonly string[] | readonly Uint8Array[];

/**
 * Lists of keys by the name of their checksums, or their first keys: one of bytes, or of texts by names that say what they
 * are.
 */
export type EdgeKeys = {
  readonly [checksums in ChecksumName]?: readonly Uint8Array[] | { readonly [name: string]: readonly string[] };
};

/** Keys, and the columns that have them. */
interface Columns {
  readonly keys: Keys;
  readonly columns: readonly (readonly string[] | BytesColumn)[];
}

const columnsMade = new Map<Keys, Columns>();

/** The columns of a list, which are made once for all systems. */
function columnsOf(keys: Keys): Columns {
  const made = columnsMade.get(keys) ?? makeColumns(keys);
  columnsMade.set(keys, made);
  return made;
}

function makeColumns(keys: Keys): Columns {
  const bytes = bytesColumn(Array.from<string | Uint8Array, Uint8Array>(keys, bytesOf));
  return { keys, columns: typeof keys[0] === 'string' ? [keys as readonly string[], bytes] : [bytes] };
}

const bytesOf = (key: string | Uint8Array): Uint8Array => (typeof key === 'string' ? utf8(key) : key);

const RING = BigInt64Array.from({ length: 65_536 }, (_, i) => BigInt(i - 32_768) << 48n);
const SERVERS = Array.from({ length: 20 }, (_, i) => ({ name: `10.0.0.${i}:80` }));

/** With many shards, so that another hash gives another shard. */
function partitionerOf(word: string, key: 'text' | 'bytes'): AnyPartitioner {
  if (word === 'cassandra') return make(word, { tokens: RING, key });
  const { most, hasServers } = systems[word];
  return partitionerNamed(word, { ...(hasServers ? { servers: SERVERS } : { shards: most }), key }) as never;
}

/** FNV-1a of 32 bits, the upper half XOR the lower one. */
function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 16) ^ (hash & 0xffff)).toString(16).padStart(4, '0');
}

/**
 * Expects tokens with these checksums of every column. A failure shows the first keys whose tokens are others.
 * @param known those of this list are taken from its front
 */
function expectTokens(made: AnyPartitioner, { keys, columns }: Columns, size: number, name: string, known: string[]) {
  const rows = Array.from({ length: Math.ceil(keys.length / size) }, (_, i) => i * size);
  const shown = (sums: readonly string[]) => sums.map((sum, i) => `${name}, from key ${rows[i]} on: ${sum}`);
  const expected = shown(known.splice(0, rows.length));
  for (const column of columns) {
    const tokens = made.tokens(column);
    const sums = rows.map((row) => {
      const part = tokens.subarray(row, row + size);
      return checksum(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    });
    expect(shown(sums)).toEqual(expected);
  }
}

/** Expects the same shards of single keys as of a column. */
function expectShards(made: AnyPartitioner, { keys, columns }: Columns, name: string) {
  const shards = made.routeMany(columns[0]);
  for (const [row, key] of keys.entries()) {
    const shard = made.route(key);
    if (shard !== shards[row]) expect({ name, row, key, shard }).toEqual({ name, row, key, shard: shards[row] });
  }
}

/** Tests that systems give the known tokens for keys at the edges of their hashes, on both backends. */
export function testEdges(edgeKeys: EdgeKeys): void {
  const names = Object.keys(edgeKeys) as ChecksumName[];
  const some = HASH_EDGES.filter((edges) => names.some((name) => name in edges));
  const cases = some.flatMap((edges) => edges.words.map((word) => [word, edges] as const));

  onBothBackends('keys at the edges of a hash', () => {
    describe.each(cases)('%s', (word, edges) => {
      const { words, most = Number.POSITIVE_INFINITY } = edges;
      const hasSingle = IS_FULL || word === words[0]; // the others have the same hash

      it.each(names.filter((name) => name in edges))('%s', (checksums) => {
        const given = edgeKeys[checksums] ?? [];
        const lists: [string, Keys][] = Array.isArray(given) ? [[checksums, given]] : Object.entries(given);
        const isText = !Array.isArray(given);
        const key = isText || !systems[word].keys.includes('bytes') ? 'text' : 'bytes';
        const made = partitionerOf(word, key);
        const known = edges[checksums]?.trim().split(/\s+/) ?? [];
        for (const [name, all] of lists) {
          const short = most === Number.POSITIVE_INFINITY ? all : shorterThan(most + 1, all);
          const { keys, columns } = columnsOf(short);
          const isNotUtf8 = name === 'lone surrogates' && isUtf16(systems[word]);
          const wanted = { keys, columns: isNotUtf8 ? columns.slice(0, 1) : columns };
          expectTokens(made, wanted, KEYS_OF_CHECKSUM[checksums], name, known);
          // A column of text may have bytes, but not a single key.
          if (hasSingle && (isText || key === 'bytes')) expectShards(made, wanted, name);
        }
      });
    });
  });
}

function shorterThan(bytes: number, keys: Keys): Keys {
  const isShort = (key: string | Uint8Array) => bytesOf(key).length < bytes;
  return (keys as string[]).filter(isShort);
}
