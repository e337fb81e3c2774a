import type { RingServer } from '../partitioners/ring.js';
import type { RoutingKeys } from '../routing/routing.js';
import { type Candidate, type Detected, detecting, finish } from './detect.js';
import { pick } from './readings.js';
import type { Doubt } from './search.js';

/** A detection in words, for those who show it to people. */
export interface Report extends Detected {
  /** The rows that do not fit the verdict, from 0. */
  readonly foreign: Uint32Array;
  /** The verdict and what else the rows show, or why there is no verdict. */
  readonly sentence: string;
}

/** Like {@link reporting}, at once. */
export function reportOf(...args: Parameters<typeof reporting>): Report {
  return finish(reporting(...args));
}

/**
 * Detects who placed rows, and among those who do not fit the verdict, too, in steps between which other work can be done.
 * @param given the number of shards, if it is known
 * @param servers for the mappings that need some, as many as shards
 * @throws as `detectRouting`
 */
export function* reporting(
  keys: RoutingKeys,
  shards: Uint32Array,
  given: number | undefined,
  servers?: readonly RingServer[],
): Generator<void, Report> {
  const detected = yield* detecting(keys, shards, { shards: given }, servers);
  const { verdict, doubt } = detected;
  const foreign = rowsElsewhere(detected, shards);
  if (doubt === undefined) return { ...detected, foreign, sentence: yield* verdictOf(verdict as Candidate) };
  return { ...detected, foreign: new Uint32Array(0), sentence: `No verdict${yield* whyNot(doubt)}.` };

  function* verdictOf({ name }: Candidate): Generator<void, string> {
    const rows = shards.length;
    const fit = `${name}: ${number(rows - foreign.length)} of ${ofRows(rows)}`;
    if (foreign.length === 0) return fit;
    const other = yield* verdictOnOthers();
    const whose = other === undefined ? '' : `, of which ${number(other.agree)} fit ${other.name}`;
    return `${fit}; ${ofRows(foreign.length)} ${foreign.length === 1 ? 'was' : 'were'} placed by something else${whose}`;
  }

  /** Who placed the others: with the same number of shards, or with another one, as before a topic has grown. */
  function* verdictOnOthers(): Generator<void, Candidate | undefined> {
    const theirs = foreign.map((row) => shards[row]);
    const others = pick(keys, foreign);
    const { verdict: other } = yield* detecting(others, theirs, { shards: detected.shards }, servers);
    return other ?? (yield* detecting(others, theirs, {}, servers)).verdict;
  }

  function* whyNot(reason: Doubt): Generator<void, string> {
    if (given !== undefined && servers === undefined) {
      const other = yield* detecting(keys, shards);
      if (other.verdict !== undefined && other.shards !== given) return ` for ${number(given)} shards: ${fitOf(other)}`;
    }
    if (reason.because !== 'few rows fit') return `: ${wordsFor(reason, detected, given, servers)}`;
    const others = yield* verdictOnOthers();
    const also = others && `; of the others, ${number(others.agree)} fit ${others.name}`;
    return `: only ${fitOf(detected)}${also ?? ''}`;
  }
}

/** The rows that are elsewhere than where the first candidate puts them. */
function rowsElsewhere({ placed }: Detected, shards: Uint32Array): Uint32Array {
  if (placed === undefined) return new Uint32Array(0);
  const rows = new Uint32Array(shards.length);
  let count = 0;
  for (let row = 0; row < shards.length; row++) if (shards[row] !== placed[row]) rows[count++] = row;
  return rows.slice(0, count);
}

function wordsFor(
  doubt: Exclude<Doubt, { because: 'few rows fit' }>,
  detected: Detected,
  given?: number,
  servers?: readonly RingServer[],
): string {
  switch (doubt.because) {
    case 'no rows':
      return 'there are no rows';
    case 'one shard':
      return 'all rows are in one shard';
    case 'not a shard':
      return `shard ${doubt.shard} is not one of ${number(given ?? 0)} shards`;
    case 'few keys':
      return `${number(doubt.different)} different keys are too few; at least ${number(doubt.needed)} are needed`;
    case 'empty shards':
      return `${fitOf(detected)}; it also puts rows in ${listOf(doubt.shards, servers)}`;
    case 'other count':
      return `${fitOf(detected)}; ${number(doubt.shards)} shards fit better`;
    case 'several counts':
      return `${fitOf(detected)}, and ${number(doubt.shards)} shards as well: give the number, or take more rows`;
    case 'nothing fits': {
      const hint = given === undefined ? '; if they are only those of some shards, give the number of shards' : '';
      return `no known mapping puts most of the rows in their shards${hint}`;
    }
  }
}

/** How well the first candidate fits. */
function fitOf({ candidates: [{ name, agree }], rows }: Detected): string {
  return `${number(agree)} of ${ofRows(rows)} fit ${name}`;
}

const MAX_LISTED = 5;

function listOf(shards: readonly number[], servers: readonly RingServer[] | undefined): string {
  const labels = shards.slice(0, MAX_LISTED).map((shard) => servers?.[shard].name ?? shard);
  const more = shards.length - MAX_LISTED;
  const rest = more > 0 ? ` and ${number(more)} more` : '';
  const noun = servers === undefined ? 'shard' : 'server';
  if (shards.length === 1) return `${noun} ${labels[0]}, which has none`;
  return `the ${noun}s ${labels.join(', ')}${rest}, which have none`;
}

const ofRows = (rows: number): string => (rows === 1 ? '1 row' : `${number(rows)} rows`);
const number = (value: number): string => value.toLocaleString('en');
