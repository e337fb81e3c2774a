import { checkInteger, checkOptions, describeValue, MAX_BUCKETS, wrongKind, wrongValue } from '../arguments.js';
import type { BytesColumn } from '../columns/keys.js';
import { areOf } from '../partitioners/keys.js';
import type { RingServer } from '../partitioners/systems/rings.js';
import { rowsMoved } from '../routing/plan.js';
import { type Routing, rowsOf } from '../routing/routing.js';
import { countsOf, enough, rowsNeeded } from './evidence.js';
import { number } from './mappings.js';
import { type KeysOfOne, pick, readingsOf, straysIn, type TriedKeys } from './readings.js';
import { type Doubt, type Found, fitOf, ofRows, type Rows, Search } from './search.js';

export { checkServers } from '../partitioners/systems/rings.js';
export { columnsIn } from './readings.js';

/** A mapping that may have placed the rows. */
export interface Candidate {
  /** The mapping, for keys of the kind that `options` names. It numbers shards from 0. */
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
  /** What the first shard is called: 1 if no row is in a shard 0, and the rows fit better so. */
  readonly first: 0 | 1;
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** The first candidate, if it placed most of the rows beyond doubt, and a known mapping the others; else undefined. */
  readonly verdict: Candidate | undefined;
  /** How many rows with different keys a verdict needs; Infinity if all rows are in one shard. */
  readonly needed: number;
  /** The shards where the first candidate puts the rows, from `first`; undefined if there is no candidate. */
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
 * @param keys the keys of the rows; of several columns, an array of them, at most four
 * @param shards the shard of each row, from 0 or 1
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
 * @param nameOf what the sentence calls a row
 */
export function* detecting(
  keys: TriedKeys,
  shards: ArrayLike<number>,
  options?: DetectOptions,
  servers?: readonly RingServer[],
  encoded?: string,
  nameOf = (row: number) => `row ${row}`,
): Generator<void, Detection> {
  const { shards: given, most = 5 } = checkOptions(options, ['shards', 'most']);
  if (given !== undefined) checkInteger('shards', given, 1, MAX_BUCKETS);
  checkInteger('most', most, 1, 100);
  const readings = readingsOf(keys, encoded);
  const theirs = checkShards(shards, rowsOf(readings[0].keys as KeysOfOne));
  const rows: Rows = { keys, encoded, readings, theirs, first: 0, servers, given };
  const { doubt, others, other, tried, sure, ...judged } = yield* judging(rows);
  const found = { ...judged, candidates: judged.candidates.slice(0, most) };
  if (doubt === undefined) return { ...found, foreign: others, sentence: fitInWords(found, others, other) };
  const also = other ? `; of the others, ${number(other.agree)} fit ${other.name}` : '';
  const why = (yield* betterCount(rows)) ?? `: ${doubt.words}${also}${numbering(found)}`;
  const sentence = `No verdict${why}${yield* aboutStrays(rows, nameOf)}.`;
  return { ...found, foreign: new Uint32Array(0), sentence };
}

const numbering = ({ first }: Pick<Detection, 'first'>) => (first === 1 ? '; shards are numbered from 1' : '');

function fitInWords(
  found: Pick<Detection, 'rows' | 'candidates' | 'first'>,
  { length }: Uint32Array,
  other: Candidate | undefined,
): string {
  const fit = `${found.candidates[0].name}: ${number(found.rows - length)} of ${ofRows(found.rows)}`;
  const whose = other === undefined ? '' : `, of which ${number(other.agree)} fit ${other.name}`;
  const rest = `; ${ofRows(length)} ${length === 1 ? 'was' : 'were'} placed by something else${whose}`;
  return `${fit}${length === 0 ? '' : rest}${numbering(found)}`;
}

/** A number of shards that fits, if the one that was given does not. */
function* betterCount(rows: Rows): Generator<void, string | undefined> {
  const { given, servers } = rows;
  if (given === undefined || servers !== undefined) return undefined;
  const found = yield* judging(forVerdict(rows));
  const { verdict } = found;
  if (verdict === undefined || found.shards === given) return undefined;
  return ` for ${number(given)} shards: ${fitOf(verdict.name, verdict.agree, found.rows)}${numbering(found)}`;
}

/** The few rows without which keys could be read as integers or UUIDs, and what then fits the others. */
function* aboutStrays(rows: Rows, nameOf: (row: number) => string): Generator<void, string> {
  const strays = straysIn(rows.readings);
  if (strays === undefined) return '';
  const rest = rows.theirs.map((_, row) => row).filter((row) => !strays.rows.includes(row));
  const named = strays.rows.map((row, i) => `${nameOf(row)} is ${describeValue(strays.texts[i])}`);
  const { verdict } = yield* judging(forVerdict(part(rows, rest), rows.given));
  const fit = verdict && `: ${fitOf(verdict.name, verdict.agree, rest.length)}`;
  return `; ${named.join(', ')}, not ${strays.noun} like the other ${number(rest.length)}${fit ?? ''}`;
}

/** Only a verdict is wanted, for a number of shards or for any. */
const forVerdict = (rows: Rows, given?: number): Rows => ({ ...rows, given, compared: 1, tried: 0 });

/** A detection without words. */
interface Searched extends Omit<Detection, 'foreign' | 'sentence'> {
  /** Why there is no verdict. */
  readonly doubt: Doubt | undefined;
  /** The rows that do not fit the first candidate, and who placed them. */
  readonly others: Uint32Array;
  readonly other?: Candidate | undefined;
  readonly tried: number;
  /** How many rows fit the first candidate, if that is beyond doubt. */
  readonly sure: number;
}

/** Looks for the mapping of rows with shards from 0 and, if there is no verdict and no row in shard 0, from 1. */
function* judging(rows: Rows): Generator<void, Searched> {
  const from0 = yield* judgingNumbered(rows);
  const { theirs, servers } = rows;
  if (from0.doubt === undefined || servers !== undefined || theirs.length === 0 || theirs.includes(0)) return from0;
  const shifted = theirs.map((shard) => shard - 1);
  const from1 = yield* judgingNumbered({ ...rows, theirs: shifted, first: 1, compared: 1, tried: from0.tried });
  return from1.doubt === undefined || from1.sure > from0.sure ? from1 : from0;
}

/** A verdict that leaves so many of the rows to something else needs to know that, too. */
const MIXED = 1 / 10;

function* judgingNumbered(rows: Rows): Generator<void, Searched> {
  const searched = yield* searching(rows);
  const { doubt, others, shards } = searched;
  const isSought = doubt === undefined ? others.length > 0 : doubt.because === 'few rows fit';
  const other = isSought ? yield* verdictOn(part(rows, others), shards) : undefined;
  const isClear = others.length < MIXED * searched.rows && !isByLength(rows, others);
  if (doubt !== undefined || other !== undefined || isClear) return { ...searched, other };
  const [{ name, agree }] = searched.candidates;
  const words = `no mapping for all rows was found; at best, ${fitOf(name, agree, searched.rows)}`;
  return { ...searched, verdict: undefined, doubt: { words } };
}

/** So many rows whose keys have one length tell that the hash is another one, which agrees on keys of other lengths. */
const OF_LENGTH = 8;

function isByLength({ readings: [{ keys }], theirs }: Rows, others: Uint32Array): boolean {
  const texts = keys as readonly string[] | BytesColumn;
  const lengths = theirs.map((_, row) =>
    'offsets' in texts ? texts.offsets[row + 1] - texts.offsets[row] : texts[row].length,
  );
  const [all, astray] = [countsOf(lengths), countsOf(others.map((row) => lengths[row]))];
  return [...astray].some(([length, rows]) => rows >= OF_LENGTH && 2 * rows > (all.get(length) ?? 0));
}

/** Who placed some rows: with a number of shards, or with another one, as before a topic has grown. */
function* verdictOn(rows: Rows, given: number): Generator<void, Candidate | undefined> {
  const { verdict } = yield* searching(forVerdict(rows, given));
  return verdict ?? (yield* searching(forVerdict(rows))).verdict;
}

function part(rows: Rows, which: Uint32Array): Rows {
  const keys = pick(rows.keys, which);
  return { ...rows, keys, readings: readingsOf(keys, rows.encoded), theirs: which.map((row) => rows.theirs[row]) };
}

function* searching(rows: Rows): Generator<void, Searched> {
  const { theirs, first } = rows;
  const search = new Search(rows);
  const found: readonly Found[] = theirs.length === 0 ? [] : yield* search.candidates();
  const [best] = found;
  const candidates = grouped(found).map(candidateOf);
  const shards = best?.shards ?? search.shards;
  const doubt = search.doubtOf(best);
  return {
    rows: theirs.length,
    shards,
    first,
    candidates,
    verdict: doubt === undefined ? candidates[0] : undefined,
    needed: rowsNeeded(search.sampled, shards, search.tried),
    placed: best?.routed.map((shard) => shard + first),
    doubt,
    others: best === undefined ? new Uint32Array(0) : rowsMoved(best.routed, theirs),
    tried: search.tried,
    sure: best !== undefined && best.strength >= enough(search.tried) ? best.agree : 0,
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
  return Uint32Array.from(shards, (shard, row) => checkInteger('shards', shard, 0, MAX_BUCKETS - 1, row));
}
