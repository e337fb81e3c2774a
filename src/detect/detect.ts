import { checkInteger, checkOptions, MAX_BUCKETS, wrongKind, wrongValue } from '../arguments.js';
import { areOf } from '../partitioners/keys.js';
import type { RingServer } from '../partitioners/systems/rings.js';
import { rowsMoved } from '../routing/plan.js';
import { type Routing, rowsOf } from '../routing/routing.js';
import { rowsNeeded } from './evidence.js';
import { number } from './mappings.js';
import { type KeyInterpretation, pick, readingsOf, type TriedKeys } from './readings.js';
import { type Doubt, type Found, fitOf, ofRows, Search } from './search.js';

export { checkServers } from '../partitioners/systems/rings.js';

/** A mapping that may have placed the rows. */
export interface Candidate {
  /** The mapping, for keys of the kind that `options` names. */
  readonly routing: Routing<any>;
  /** The options of `shardbits route`: `--as kafka --shards 12`; undefined for what people write by hand. */
  readonly options: string | undefined;
  /** In words: `Kafka's Java client, 12 partitions`. */
  readonly name: string;
  /** How many rows are in the shard where the mapping puts them. */
  readonly agree: number;
  /** How many rows would be expected to agree if the mapping had nothing to do with them. */
  readonly byChance: number;
  /** The names of other mappings that put all of these rows in the same shards. */
  readonly also: readonly string[];
}

export interface Detection {
  readonly rows: number;
  /** The number of shards: as given, or that of the best candidate. */
  readonly shards: number;
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** The first candidate, if it placed most of the rows beyond doubt; else undefined. */
  readonly verdict: Candidate | undefined;
  /** How many rows with different keys a verdict needs; Infinity if all rows are in one shard. */
  readonly needed: number;
  /** The shards where the first candidate puts the rows; undefined if there is no candidate. */
  readonly placed: Uint32Array | undefined;
  /** The rows that do not fit the verdict, from 0; none if there is no verdict. */
  readonly foreign: Uint32Array;
  /** The verdict, and who placed the rows that do not fit it; or why there is no verdict. */
  readonly sentence: string;
}

export interface DetectOptions {
  /** The number of shards. By default the largest shard plus one or, if nothing fits, more, up to twice as many. */
  shards?: number | undefined;
  /** How many candidates are returned at most, 1 to 100; 5 by default. */
  most?: number | undefined;
}

/**
 * Tells which mapping placed rows: it compares the shards of the rows with those of all partitioners, of Routers, and of
 * hashes that people often use modulo the number of shards. Texts that are integers or UUIDs are tried as such, too.
 * @param keys the keys of the rows
 * @param shards the shard of each row, from 0
 * @throws TypeError if an argument or a row is of the wrong kind
 * @throws RangeError if an option is out of range or unknown, a row is not a shard, or there are not as many shards as keys
 * @example
 * const keys = Array.from({ length: 300 }, (_, i) => `user:${i}`);
 * const shards = partitioner('kafka', { partitions: 12 }).routeMany(keys);
 * detectRouting(keys, shards).verdict?.options; // '--as kafka --shards 12'
 */
export function detectRouting(keys: TriedKeys, shards: ArrayLike<number>, options?: DetectOptions): Detection {
  return finish(detecting(keys, shards, options));
}

/**
 * Like {@link detectRouting}, in steps between which other work can be done.
 * @param servers for the mappings that need some, as many as shards
 * @param encoded how the keys were written if they are bytes, for the options of `shardbits route`
 */
export function* detecting(
  keys: TriedKeys,
  shards: ArrayLike<number>,
  options?: DetectOptions,
  servers?: readonly RingServer[],
  encoded?: string,
): Generator<void, Detection> {
  const { shards: given, most = 5 } = checkOptions(options, ['shards', 'most']);
  if (given !== undefined) checkInteger('shards', given, 1, MAX_BUCKETS);
  checkInteger('most', most, 1, 100);
  const readings = readingsOf(keys, encoded);
  const theirs = checkShards(shards, rowsOf(readings[0].keys));
  const { doubt, ...searched } = yield* searching(readings, theirs, given, most, servers);
  const others = searched.placed === undefined ? new Uint32Array(0) : rowsMoved(searched.placed, theirs);
  if (doubt !== undefined) {
    return { ...searched, foreign: new Uint32Array(0), sentence: `No verdict${yield* whyNot(doubt)}.` };
  }
  return { ...searched, foreign: others, sentence: yield* verdictOf(searched.candidates[0]) };

  function* verdictOf({ name }: Candidate): Generator<void, string> {
    const { rows } = searched;
    const fit = `${name}: ${number(rows - others.length)} of ${ofRows(rows)}`;
    if (others.length === 0) return fit;
    const other = yield* verdictOnOthers();
    const whose = other === undefined ? '' : `, of which ${number(other.agree)} fit ${other.name}`;
    return `${fit}; ${ofRows(others.length)} ${others.length === 1 ? 'was' : 'were'} placed by something else${whose}`;
  }

  /** Who placed the others: with the same number of shards, or with another one, as before a topic has grown. */
  function* verdictOnOthers(): Generator<void, Candidate | undefined> {
    const [rest, ofRest] = [readingsOf(pick(keys, others), encoded), others.map((row) => theirs[row])];
    const { verdict } = yield* searching(rest, ofRest, searched.shards, 1, servers);
    return verdict ?? (yield* searching(rest, ofRest, undefined, 1, servers)).verdict;
  }

  function* whyNot({ because, words }: Doubt): Generator<void, string> {
    if (given !== undefined && servers === undefined) {
      const other = yield* searching(readings, theirs, undefined, 1);
      if (other.verdict !== undefined && other.shards !== given) {
        const { name, agree } = other.verdict;
        return ` for ${number(given)} shards: ${fitOf(name, agree, other.rows)}`;
      }
    }
    const other = because === 'few rows fit' ? yield* verdictOnOthers() : undefined;
    const also = other && `; of the others, ${number(other.agree)} fit ${other.name}`;
    return `: ${words}${also ?? ''}`;
  }
}

/** A detection without words, and why it has no verdict. */
type Searched = Omit<Detection, 'foreign' | 'sentence'> & { readonly doubt: Doubt | undefined };

function* searching(
  readings: readonly KeyInterpretation[],
  theirs: Uint32Array,
  given: number | undefined,
  most: number,
  servers?: readonly RingServer[],
): Generator<void, Searched> {
  const rows = theirs.length;
  if (rows === 0) {
    const needed = Number.POSITIVE_INFINITY;
    const doubt = { words: 'there are no rows' };
    return { rows, shards: given ?? 0, candidates: [], verdict: undefined, needed, placed: undefined, doubt };
  }
  const search = new Search(readings, theirs, given, servers);
  const found = yield* search.candidates();
  const candidates = grouped(found).slice(0, most).map(candidateOf);
  const count = candidates[0]?.routing.shards ?? search.shards;
  const doubt = search.doubtOf(found[0]);
  return {
    rows,
    shards: count,
    candidates,
    verdict: doubt === undefined ? candidates[0] : undefined,
    needed: rowsNeeded(search.sampled, count, search.tried),
    placed: found[0]?.routed,
    doubt,
  };
}

/** Takes all steps at once. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Those that put all rows in the same shards, together. */
function grouped(found: readonly Found[]): Found[][] {
  const groups: Found[][] = [];
  for (const one of found) {
    const group = groups.find(
      ([{ agree, routed }]) => agree === one.agree && rowsMoved(routed, one.routed).length === 0,
    );
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

function candidateOf([{ mapping, shards, agree, byChance }, ...others]: readonly Found[]): Candidate {
  return {
    routing: mapping.routing(shards),
    options: mapping.optionsOf(shards),
    name: mapping.nameOf(shards),
    agree,
    byChance,
    also: others.map((other) => other.mapping.nameOf(other.shards)),
  };
}

function checkShards(shards: ArrayLike<number>, rows: number): Uint32Array {
  if (typeof shards !== 'object' || shards === null || typeof shards.length !== 'number') {
    throw wrongKind('shards', 'an array of numbers', shards);
  }
  if (shards.length !== rows) throw wrongValue('shards', `${rows} shards, one for each key`, shards.length);
  if (areOf('uint32', shards) && shards.every((shard) => shard < MAX_BUCKETS)) return shards;
  const checked = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const shard = shards[row];
    if (typeof shard !== 'number') throw wrongKind('shards', 'a number', shard, row);
    if (!Number.isInteger(shard) || shard < 0 || shard >= MAX_BUCKETS) {
      throw wrongValue('shards', `an integer from 0 to ${MAX_BUCKETS - 1}`, shard, row);
    }
    checked[row] = shard;
  }
  return checked;
}
