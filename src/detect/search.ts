import type { RingServer } from '../partitioners/ring.js';
import type { RoutingKeys } from '../routing/routing.js';
import { agreeing, countsOf, type Evidence, enough, evidenceOf, pairsMeeting } from './evidence.js';
import { type Mapping, mappingsOf, type ShardsFor } from './mappings.js';
import { pick, type Reading } from './readings.js';
import { sampleOf } from './sample.js';

/** How many rows with different keys are looked at first. */
const SAMPLED = 1000;
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
/** How many other numbers of shards are compared with all rows. */
const COMPARED_COUNTS = 16;
/** A shard that should have so many rows has at least one. */
const MIN_EXPECTED = 20;
/** A shard that gets none of so many rows per shard is improbable: e^-25. */
const EXPECTED_GAP = 25;
/** So many larger numbers of shards are tried at most, in about 2 s. */
const MAX_LARGER = 2048;
/** Numbers of shards that are farther away are not looked at, which takes a second for all nearer ones. */
const MAX_NEAR = 50_000;
/** Without this share of the rows, those in the largest shards, the others tell how many shards there are. */
const ASTRAY = 1 / 50;

/** A mapping with a number of shards, and how it fits the sampled rows. */
interface Screened {
  readonly mapping: Mapping;
  readonly shardsFor: ShardsFor;
  readonly shards: number;
  readonly evidence: Evidence;
}

/** A mapping that has been compared with all rows. */
export interface Found extends Omit<Screened, 'shardsFor'> {
  /** Its shards of all rows. */
  readonly routed: Uint32Array;
  readonly agree: number;
  /** How many rows would agree by chance. */
  readonly byChance: number;
  /** Whether all its shards have rows that should have some. */
  readonly isComplete: boolean;
  /** Whether another number of shards fits the rows better. */
  readonly fitsOther: boolean;
  /** Another number of shards that fits the rows as well, if none was given. */
  readonly alike: number | undefined;
}

/** Compares the shards of rows with those of all mappings: first of a sample, then those that fit it of all rows. */
export class Search {
  /** The number of shards that is tried first. */
  readonly shards: number;
  /** The shards of the sampled rows. */
  readonly sampled: Uint32Array;
  /** How many mappings have been tried, with each number of shards. */
  tried = 0;
  readonly #largest: number;
  readonly #hashed: readonly { readonly mapping: Mapping; readonly shardsFor: ShardsFor }[];

  /**
   * @param given the number of shards, if it is known
   * @param servers for the mappings that need some; they are then as many as shards
   */
  constructor(
    readings: readonly Reading[],
    private readonly theirs: Uint32Array,
    private readonly given: number | undefined,
    servers?: readonly RingServer[],
  ) {
    this.#largest = theirs.reduce((most, shard) => Math.max(most, shard), 0);
    this.shards = given ?? this.#largest + 1;
    const rows = sampleOf(readings[0].keys, SAMPLED);
    this.sampled = rows.map((row) => theirs[row]);
    const samples = new Map<Reading, RoutingKeys>(readings.map((reading) => [reading, pick(reading.keys, rows)]));
    this.#hashed = mappingsOf(readings, servers).flatMap((mapping) => {
      const shardsFor = hashed(mapping, samples.get(mapping.reading) as RoutingKeys);
      return shardsFor === undefined ? [] : [{ mapping, shardsFor }];
    });
  }

  /** The mappings that fit best, the best first. */
  candidates(): Found[] {
    const usual = this.#screen(this.#usualCounts(), SAMPLED);
    const found = this.#compare(usual);
    if (this.given !== undefined || (found.length > 0 && this.#isMapping(found[0]))) return found;
    const more = this.#screen(this.#largerCounts(), GLANCED);
    return more.length === 0 ? found : this.#compare([...usual, ...more]);
  }

  /** Whether a mapping with this number of shards has placed most of the rows beyond doubt. */
  isSure(found: Found): boolean {
    return found.alike === undefined && this.#isMapping(found);
  }

  /** The same, although other numbers of shards may fit as well. */
  #isMapping({ evidence, agree, byChance, isComplete, fitsOther }: Found): boolean {
    const isMost = agree - byChance > MAJORITY * (this.theirs.length - byChance);
    const isPossible = this.given === undefined || this.#largest < this.given;
    return isMost && isPossible && isComplete && !fitsOther && evidence.strength >= enough(this.tried);
  }

  /** As many shards as the largest one tells; also far fewer, if only few rows are in the shards above. */
  #usualCounts(): number[] {
    const most = this.sampled.slice().sort()[Math.floor((1 - ASTRAY) * (this.sampled.length - 1))] + 1;
    return this.given === undefined && 2 * most < this.shards ? [this.shards, most] : [this.shards];
  }

  /**
   * Numbers of shards above the largest shard seen and one. The more rows there are, the fewer of the last shards can have
   * none of them.
   */
  #largerCounts(): number[] {
    const usual = this.#largest + 1;
    const more = Math.min(usual, Math.ceil((EXPECTED_GAP * usual) / this.sampled.length), MAX_LARGER);
    return Array.from({ length: more }, (_, i) => usual + 1 + i);
  }

  /** All mappings with all of these numbers of shards. @param glanced how many rows have to show something at first */
  #screen(counts: readonly number[], glanced: number): Screened[] {
    const screened: Screened[] = [];
    for (const { mapping, shardsFor } of this.#hashed) {
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
    const isGiven = this.given === fixed;
    const isLikely = this.given === undefined && this.#largest < fixed && 2 * (this.#largest + 1) > fixed;
    return counts[0] === this.shards && (isGiven || isLikely) ? [fixed] : [];
  }

  #look(mapping: Mapping, shardsFor: ShardsFor, shards: number, glanced: number): Screened | undefined {
    const { sampled } = this;
    this.tried++;
    try {
      if (glanced < sampled.length) {
        const { strength } = evidenceOf(sampled.subarray(0, glanced), shardsFor(shards, glanced), shards);
        if (strength < GLANCED_STRENGTH) return undefined;
      }
      return { mapping, shardsFor, shards, evidence: evidenceOf(sampled, shardsFor(shards), shards) };
    } catch (error) {
      if (error instanceof RangeError) return undefined; // the mapping does not have so many shards
      throw error;
    }
  }

  /** Compares the best ones with all rows. */
  #compare(screened: readonly Screened[]): Found[] {
    const best = [...screened].sort((a, b) => b.evidence.strength - a.evidence.strength).slice(0, COMPARED);
    const found = best.filter(({ evidence }) => evidence.strength > 0).flatMap((one) => this.#found(one) ?? []);
    // The sort is stable: of equal ones, the best known one is first.
    const place = (one: Found) => this.#hashed.findIndex(({ mapping }) => mapping === one.mapping);
    return found.sort((a, b) => b.agree - a.agree || place(a) - place(b));
  }

  #found({ mapping, shardsFor, shards, evidence }: Screened): Found | undefined {
    const ofAll = hashed(mapping, mapping.reading.keys);
    if (ofAll === undefined) return undefined;
    const isFound = evidence.strength >= enough(this.tried);
    const { best: other, alike } = isFound
      ? this.#bestCount(mapping, shardsFor, ofAll, shards)
      : { best: shards, alike: undefined };
    const isOther = other !== shards;
    const count = this.given ?? other;
    const routed = ofAll(count);
    const [theirs, ours] = [countsOf(this.theirs), countsOf(routed)];
    const isComplete = [...ours].every(([shard, rows]) => rows < MIN_EXPECTED || theirs.has(shard));
    return {
      mapping,
      shards: count,
      evidence: isOther ? evidenceOf(this.sampled, shardsFor(count), count) : evidence,
      routed,
      agree: agreeing(this.theirs, routed),
      byChance: pairsMeeting(theirs, ours) / this.theirs.length,
      isComplete,
      fitsOther: isOther && this.given !== undefined,
      alike: this.given === undefined ? alike : undefined,
    };
  }

  /** The number of shards, half to twice as many, with which a mapping fits all rows best, and another one that does so, too. */
  #bestCount(
    mapping: Mapping,
    shardsFor: ShardsFor,
    ofAll: ShardsFor,
    shards: number,
  ): { readonly best: number; readonly alike: number | undefined } {
    if (mapping.fixed !== undefined) return { best: shards, alike: undefined };
    const { sampled, theirs } = this;
    const glanced = Math.min(GLANCED, sampled.length);
    const agreement = (count: number, rows: number) => agreeing(sampled.subarray(0, rows), shardsFor(count, rows));
    const [atGlance, inSample] = [agreement(shards, glanced), agreement(shards, sampled.length)];
    const others: { readonly count: number; readonly inSample: number }[] = [];
    const from = Math.max(Math.ceil(shards / 2), shards - MAX_NEAR);
    const to = Math.min(2 * shards, shards + MAX_NEAR);
    for (let count = from; count <= to; count++) {
      if (count === shards) continue;
      try {
        if (agreement(count, glanced) < atGlance) continue;
        const agreeing = agreement(count, sampled.length);
        if (agreeing >= inSample) others.push({ count, inSample: agreeing });
      } catch {
        break; // no mapping has more shards than this
      }
    }
    let [best, most] = [shards, agreeing(theirs, ofAll(shards))];
    let alike: number | undefined;
    others.sort((a, b) => b.inSample - a.inSample);
    for (const { count } of others.slice(0, COMPARED_COUNTS)) {
      const agree = agreeing(theirs, ofAll(count));
      if (agree === most) alike = count;
      if (agree > most) [best, most, alike] = [count, agree, undefined];
    }
    return { best, alike };
  }
}

/** Undefined if a key cannot have been placed in this way: bytes that are not UTF-8, if the mapping hashes UTF-16. */
function hashed(mapping: Mapping, keys: RoutingKeys): ShardsFor | undefined {
  try {
    return mapping.hash(keys);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
