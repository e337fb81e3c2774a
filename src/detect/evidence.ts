/** So improbable must chance be for a verdict, for all mappings that were tried together. */
const DOUBT = 1e-9;

/** The strength that is beyond doubt when so many mappings have been tried. */
export function enough(tried: number): number {
  return Math.log(Math.max(1, tried) / DOUBT);
}

/**
 * How strongly the shards of a mapping agree with those of rows that have different keys: minus the natural logarithm of an
 * upper bound of the probability that so many agree by chance.
 *
 * The bound is Chernoff's: n rows of which each agrees with probability p agree in a share q > p of them with probability
 * exp(-n * KL(q, p)) at most, where KL is the relative entropy.
 */
export function strengthOf(theirs: Uint32Array, ours: Uint32Array, shards: number): number {
  const rows = theirs.length;
  const agree = agreeing(theirs, ours);
  if (agree * shards <= rows) return 0; // the chance is at least as large: most numbers of shards end here
  const chance = chanceOf(theirs, ours, agree, shards);
  const share = agree / rows;
  return share > chance ? rows * relativeEntropy(share, chance) : 0;
}

export function agreeing(theirs: Uint32Array, ours: Uint32Array): number {
  let agree = 0;
  for (let row = 0; row < theirs.length; row++) if (theirs[row] === ours[row]) agree++;
  return agree;
}

/**
 * The probability that their shard of one row is our shard of another row. It is at least 1 in the number of shards, because
 * among few rows no two may meet.
 */
function chanceOf(theirs: Uint32Array, ours: Uint32Array, agree: number, shards: number): number {
  const pairs = theirs.length * (theirs.length - 1);
  const meeting = pairsMeeting(countsOf(theirs), countsOf(ours)) - agree;
  return pairs === 0 ? 1 : Math.min(1, Math.max(meeting / pairs, 1 / shards));
}

export function countsOf(shards: Uint32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const shard of shards) counts.set(shard, (counts.get(shard) ?? 0) + 1);
  return counts;
}

/** How many pairs there are of a row of the one and a row of the other that are in the same shard. */
export function pairsMeeting(theirs: ReadonlyMap<number, number>, ours: ReadonlyMap<number, number>): number {
  let pairs = 0;
  for (const [shard, count] of theirs) pairs += count * (ours.get(shard) ?? 0);
  return pairs;
}

function relativeEntropy(q: number, p: number): number {
  const term = (a: number, b: number) => (a === 0 ? 0 : a * Math.log(a / b));
  return term(q, p) + term(1 - q, 1 - p);
}

/** How many rows with different keys have to be in their shards for a verdict, if all of them agree. */
export function rowsNeeded(theirs: Uint32Array, shards: number, tried: number): number {
  const chance = chanceOf(theirs, theirs, theirs.length, shards);
  return chance >= 1 ? Number.POSITIVE_INFINITY : Math.ceil(enough(tried) / -Math.log(chance));
}
