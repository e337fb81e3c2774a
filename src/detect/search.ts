import type { RingServer } from '../partitioners/systems/rings.js';
import { agreeing, countsOf, enough, pairsMeeting, rowsNeeded, strengthOf } from './evidence.js';
import { type Mapping, mappingsOf, number, type ShardsFor } from './mappings.js';
import { type KeyInterpretation, type KeysOfOne, pick, sampleOf, type TriedKeys, unlessRefused } from './readings.js';

/** How many rows with different keys are looked at first. */
const SAMPLED = 1000;
/** And fewer rows if their keys have more bytes than this. */
const SAMPLED_BYTES = 4 * 1024 * 1024;
/** So many of them for most numbers of shards. */
const GLANCED = 64;
/** What they must show, to be looked at again: such agreement has a probability of 1 in 1,000. */
const GLANCED_STRENGTH = Math.log(1000);
/**
 * The share of the rows that a verdict needs, beyond those that agree by chance. Two forms of one hash, with and without its
 * sign, agree on up to two thirds of them.
 */
const MAJORITY = 2 / 3;
/** How many mappings are compared with all rows. */
const COMPARED = 20;
/** So many rows more or less do not decide between numbers of shards before all rows are compared. */
const STRAYS = 2;
/** How often the number of shards may be larger than it seems, if the rows are those of some shards. */
const MAX_TIMES = 64;
/** A shard that should have so many rows has at least one. */
const MIN_EXPECTED = 20;
/** A shard that gets none of so many rows per shard is improbable: e^-25. */
const EXPECTED_GAP = 25;
/** So many larger numbers of shards are tried at most, in about 2 s. */
const MAX_LARGER = 2048;
/** Numbers of shards that are farther away are not looked at, which takes a second for all nearer ones. */
const MAX_NEAR = 50_000;
/** After so many numbers of shards, or rows of them, which take some hundredths of a second, a search can be interrupted. */
const COUNTS_A_STEP = 4096;
const ROWS_A_STEP = 1 << 20;
/** Without this share of the rows, those in the largest shards, the others tell how many shards there are. */
const ASTRAY = 1 / 50;

/** Keys and where they are, and how their mapping is looked for. */
export interface Rows {
  readonly keys: TriedKeys;
  /** How the keys were written if they are bytes. */
  readonly encoded: string | undefined;
  readonly readings: readonly KeyInterpretation[];
  /** The shards, from 0. */
  readonly theirs: Uint32Array;
  /** What the first shard is called. */
  readonly first: 0 | 1;
  /** For the mappings that need some; they are then as many as shards. */
  readonly servers?: readonly RingServer[] | undefined;
  /** The number of shards, if it is known. */
  readonly given: number | undefined;
  /** How many mappings are compared with all rows if none fits the sample beyond doubt; {@link COMPARED} by default. */
  readonly compared?: number;
  /** How many mappings have been tried before, with each number of shards. */
  readonly tried?: number;
}

/** A mapping with a number of shards, and how it fits the sampled rows. */
interface Screened {
  readonly mapping: Mapping;
  readonly shardsFor: ShardsFor;
  readonly shards: number;
  readonly strength: number;
}

/** A mapping that has been compared with all rows. */
export interface Found extends Omit<Screened, 'shardsFor'> {
  /** Its shards of all rows. */
  readonly routed: Uint32Array;
  readonly agree: number;
  /** How many rows would agree by chance. */
  readonly byChance: number;
  /** The shards that have no rows, although it puts many there. */
  readonly empty: readonly number[];
  /** Another number of shards that fits the rows better than the one given. */
  readonly better: number | undefined;
  /** Another number of shards that fits the rows as well, if none was given. */
  readonly alike: number | undefined;
}

/** Why the mapping that fits best is no verdict. */
export interface Doubt {
  /** What is looked at after it: other numbers of shards, or the other rows. */
  readonly because?: 'several counts' | 'few rows fit';
  readonly words: string;
}

/** Compares the shards of rows with those of all mappings: first of a sample, then those that fit it of all rows. */
export class Search {
  /** The number of shards that is tried first. */
  readonly shards: number;
  /** The shards of the sampled rows. */
  readonly sampled: Uint32Array;
  /** How many mappings have been tried, with each number of shards. */
  tried: number;
  readonly #largest: number;
  readonly #mappings: readonly Mapping[];
  readonly #samples: ReadonlyMap<KeyInterpretation, TriedKeys>;
  readonly #hashed: { readonly mapping: Mapping; readonly shardsFor: ShardsFor }[] = [];

  constructor(private readonly rows: Rows) {
    const { readings, theirs, servers, given, tried = 0 } = rows;
    this.tried = tried;
    this.#largest = theirs.reduce((most, shard) => Math.max(most, shard), -1);
    this.shards = given ?? this.#largest + 1;
    const sample = sampleOf(readings[0].keys as KeysOfOne, SAMPLED, SAMPLED_BYTES);
    this.sampled = sample.map((row) => theirs[row]);
    this.#samples = new Map(readings.map((reading) => [reading, pick(reading.keys, sample)]));
    this.#mappings = mappingsOf(readings, servers);
  }

  /** The mappings that fit best, the best first. A step takes some hundredths of a second, unless keys are very long. */
  *candidates(): Generator<void, Found[]> {
    for (const mapping of this.#mappings) {
      yield;
      const keys = this.#samples.get(mapping.reading) as TriedKeys;
      // Bytes that are not UTF-8 cannot have been placed by a mapping that hashes UTF-16.
      const shardsFor = unlessRefused(() => mapping.hash(keys));
      if (shardsFor !== undefined) this.#hashed.push({ mapping, shardsFor });
    }
    const usual = yield* this.#screen(this.#usualCounts(), SAMPLED);
    const found = yield* this.#compare(usual);
    const doubt = this.doubtOf(found[0]);
    if (this.rows.given !== undefined || doubt === undefined || doubt.because === 'several counts') return found;
    const more = yield* this.#screen(this.#largerCounts(), GLANCED);
    return more.length === 0 ? found : yield* this.#compare([...usual, ...more]);
  }

  /** Why a mapping with this number of shards is no verdict; undefined if it has placed most of the rows beyond doubt. */
  doubtOf(found: Found | undefined): Doubt | undefined {
    const { given, theirs, first } = this.rows;
    if (theirs.length === 0) return { words: 'there are no rows' };
    const beyond = given === undefined ? 0 : theirs.reduce((rows, shard) => rows + Number(shard >= given), 0);
    if (beyond > ASTRAY * theirs.length) {
      return { words: `shard ${this.#largest + first} is not one of ${number(given ?? 0)} shards` };
    }
    const needed = rowsNeeded(this.sampled, found?.shards ?? this.shards, this.tried);
    if (needed === Number.POSITIVE_INFINITY) return { words: 'all rows are in one shard' };
    if (found === undefined) return this.#nothingFits(needed);
    const { strength, agree, byChance, empty, better, alike } = found;
    const isMost = agree - byChance > MAJORITY * (theirs.length - byChance);
    if (strength < enough(this.tried)) {
      // Rows that do not fit raise the number that is needed.
      return this.#nothingFits(isMost ? Math.ceil((this.sampled.length * enough(this.tried)) / strength) : needed);
    }
    const fit = fitOf(found.mapping.nameOf(found.shards), agree, theirs.length);
    if (better !== undefined) return { words: `${fit}; ${number(better)} shards fit better` };
    if (!isMost) return { because: 'few rows fit', words: `only ${fit}` };
    if (empty.length > 0) return { words: `${fit}; it also puts rows in ${listOf(empty, this.rows)}` };
    if (alike === undefined) return undefined;
    const words = `${fit}, and ${number(alike)} shards as well: give the number, or take more rows`;
    return { because: 'several counts', words };
  }

  /** @param needed how many rows with different keys there have to be */
  #nothingFits(needed: number): Doubt {
    const different = this.sampled.length;
    if (different < needed) {
      return { words: `${number(different)} different keys are too few; at least ${number(needed)} are needed` };
    }
    const hint =
      this.rows.given === undefined ? '; if they are only those of some shards, give the number of shards' : '';
    return { words: `no known mapping puts most of the rows in their shards${hint}` };
  }

  /** As many shards as the largest one tells; also far fewer, if only few rows are in the shards above. */
  #usualCounts(): number[] {
    const most = this.sampled.slice().sort()[Math.floor((1 - ASTRAY) * (this.sampled.length - 1))] + 1;
    return this.rows.given === undefined && 2 * most < this.shards ? [this.shards, most] : [this.shards];
  }

  /**
   * Numbers of shards above the largest shard seen and one. The more rows there are, the fewer of the last shards can have
   * none of them, unless other shards have none either: then the rows are those of some shards.
   */
  #largerCounts(): number[] {
    const usual = this.#largest + 1;
    const gap = Math.ceil((EXPECTED_GAP * usual) / this.sampled.length);
    const isOfSome = gap < usual && countsOf(this.sampled).size < usual - gap;
    const more = Math.min(usual, isOfSome ? usual : gap, MAX_LARGER);
    return Array.from({ length: more }, (_, i) => usual + 1 + i);
  }

  /** All mappings with all of these numbers of shards. @param glanced how many rows have to show something at first */
  *#screen(counts: readonly number[], glanced: number): Generator<void, Screened[]> {
    const screened: Screened[] = [];
    for (const { mapping, shardsFor } of this.#hashed) {
      yield;
      for (const shards of this.#countsFor(mapping, counts)) {
        const one = this.#look(mapping, shardsFor, shards, glanced);
        if (one !== undefined) screened.push(one);
      }
    }
    return screened;
  }

  /** A mapping with a fixed number of shards is tried once, if the rows may be all of them. */
  #countsFor({ fixed }: Mapping, counts: readonly number[]): readonly number[] {
    if (fixed === undefined) return counts;
    const { given } = this.rows;
    const isGiven = given === fixed;
    const isLikely = given === undefined && this.#largest < fixed && 2 * (this.#largest + 1) > fixed;
    return counts[0] === this.shards && (isGiven || isLikely) ? [fixed] : [];
  }

  #look(mapping: Mapping, shardsFor: ShardsFor, shards: number, glanced: number): Screened | undefined {
    const { sampled } = this;
    this.tried++;
    return unlessRefused(() => {
      if (glanced < sampled.length) {
        const strength = strengthOf(sampled.subarray(0, glanced), shardsFor(shards, glanced), shards);
        if (strength < GLANCED_STRENGTH) return undefined;
      }
      return { mapping, shardsFor, shards, strength: strengthOf(sampled, shardsFor(shards), shards) };
    });
  }

  *#compare(screened: readonly Screened[]): Generator<void, Found[]> {
    const { compared = COMPARED } = this.rows;
    const isSure = ({ strength }: Screened | Found) => strength >= enough(this.tried);
    const best = [...screened].sort((a, b) => b.strength - a.strength);
    const found: Found[] = [];
    for (const one of best.slice(0, screened.some(isSure) ? COMPARED : compared)) {
      yield;
      if (one.strength === 0) break;
      const full = yield* this.#found(one);
      // Two numbers of shards may have led to one that fits better.
      const isKnown = found.some(({ mapping, shards }) => mapping === full?.mapping && shards === full.shards);
      if (full !== undefined && !isKnown) found.push(full);
    }
    // The rows of one frequent key can agree by chance. Of equal mappings, the best known one is first.
    const place = (one: Found) => this.#mappings.indexOf(one.mapping);
    return found.sort((a, b) => Number(isSure(b)) - Number(isSure(a)) || b.agree - a.agree || place(a) - place(b));
  }

  *#found({ mapping, shardsFor, shards, strength }: Screened): Generator<void, Found | undefined> {
    const ofAll = unlessRefused(() => mapping.hash(mapping.reading.keys));
    if (ofAll === undefined) return undefined;
    const isFound = strength >= enough(this.tried) && mapping.fixed === undefined;
    const { best, alike } = isFound ? yield* this.#bestCount(shardsFor, ofAll, shards) : { best: shards };
    const { given } = this.rows;
    const count = given ?? best;
    const routed = ofAll(count);
    const [theirs, ours] = [countsOf(this.rows.theirs), countsOf(routed)];
    const empty = [...ours].flatMap(([shard, rows]) => (rows < MIN_EXPECTED || theirs.has(shard) ? [] : [shard]));
    return {
      mapping,
      shards: count,
      strength: count === shards ? strength : strengthOf(this.sampled, shardsFor(count), count),
      routed,
      agree: agreeing(this.rows.theirs, routed),
      byChance: pairsMeeting(theirs, ours) / routed.length,
      empty: empty.sort((a, b) => a - b),
      better: best === count ? undefined : best,
      alike: given === undefined ? alike : undefined,
    };
  }

  /** The number of shards with which a mapping fits all rows best, and another one that does so, too. */
  *#bestCount(shardsFor: ShardsFor, ofAll: ShardsFor, shards: number) {
    const near = yield* this.#fittingSample(shardsFor, shards);
    const { counts, agree } = yield* this.#fittingAll(ofAll, near);
    const first = counts.includes(shards) ? shards : counts[0];
    const best = this.rows.given === undefined ? yield* this.#multipleOf(first, agree, shardsFor, ofAll) : first;
    // A remainder fits with all divisors of its number of shards, if the rows are those of the first shards.
    return { best, alike: counts.findLast((count) => best % count !== 0) };
  }

  /** The numbers of shards, half to twice as many, that fit the sample at least as well, and this number itself. */
  *#fittingSample(shardsFor: ShardsFor, shards: number): Generator<void, number[]> {
    const { sampled } = this;
    const glanced = Math.min(GLANCED, sampled.length);
    const agreement = (count: number, rows: number) => agreeing(sampled.subarray(0, rows), shardsFor(count, rows));
    const [atGlance, inSample] = [agreement(shards, glanced), agreement(shards, sampled.length)];
    const counts: number[] = [];
    const from = Math.max(Math.ceil(shards / 2), shards - MAX_NEAR);
    const to = Math.min(2 * shards, shards + MAX_NEAR);
    for (let count = from; count <= to; count++) {
      if (count % COUNTS_A_STEP === 0) yield;
      const fits = unlessRefused(
        () => agreement(count, glanced) >= atGlance && agreement(count, sampled.length) >= inSample,
      );
      if (fits === undefined) break; // the mapping has no more shards than this
      if (fits) counts.push(count);
    }
    return counts;
  }

  /**
   * Those of some numbers of shards that fit all rows best. There can be thousands of them for jump hash, so more and more
   * rows are compared with fewer and fewer numbers.
   */
  *#fittingAll(ofAll: ShardsFor, all: readonly number[]): Generator<void, { counts: number[]; agree: number }> {
    const { theirs } = this.rows;
    let counts = [...all];
    for (let rows = this.sampled.length; ; ) {
      rows = Math.min(4 * rows, theirs.length);
      const agreement: number[] = [];
      let most = 0;
      for (const [i, count] of counts.entries()) {
        if ((i * rows) % ROWS_A_STEP < rows) yield;
        agreement[i] = agreeing(theirs.subarray(0, rows), ofAll(count, rows));
        most = Math.max(most, agreement[i]);
      }
      // Rows that somebody else placed agree with one number or the other by chance.
      const slack = rows < theirs.length ? STRAYS : 0;
      counts = counts.filter((_, i) => agreement[i] >= most - slack);
      if (rows === theirs.length) return { counts, agree: most };
    }
  }

  /**
   * The largest multiple of a number of shards that fits as many rows. Rows of the first 9 of 27 shards have the same
   * remainders modulo 9; if there were 9 shards, they would not fit 27.
   */
  *#multipleOf(shards: number, agree: number, shardsFor: ShardsFor, ofAll: ShardsFor): Generator<void, number> {
    const { sampled } = this;
    const { theirs } = this.rows;
    const inSample = agreeing(sampled, shardsFor(shards));
    // By chance, all of these rows fit a multiple with a probability of at most 2^-rows.
    if (inSample * Math.LN2 < enough(this.tried)) return shards;
    for (let times = MAX_TIMES; times > 1; times--) {
      yield;
      const count = times * shards;
      const fits = () => agreeing(sampled, shardsFor(count)) >= inSample && agreeing(theirs, ofAll(count)) >= agree;
      if (unlessRefused(fits)) return count;
    }
    return shards;
  }
}

export function fitOf(name: string, agree: number, rows: number): string {
  return `${number(agree)} of ${ofRows(rows)} fit ${name}`;
}

export const ofRows = (rows: number): string => (rows === 1 ? '1 row' : `${number(rows)} rows`);

const MAX_LISTED = 5;

function listOf(shards: readonly number[], { servers, first }: Rows): string {
  const labels = shards.slice(0, MAX_LISTED).map((shard) => servers?.[shard].name ?? shard + first);
  const more = shards.length - MAX_LISTED;
  const rest = more > 0 ? ` and ${number(more)} more` : '';
  const noun = servers === undefined ? 'shard' : 'server';
  if (shards.length === 1) return `${noun} ${labels[0]}, which has none`;
  return `the ${noun}s ${labels.join(', ')}${rest}, which have none`;
}
