/**
 * What chance alone does if a hash spreads keys uniformly: ranges that hold a figure in 95 % of all cases. Keys are balls
 * and places are bins; a place is a shard or a node. Exact for one place. Elsewhere the ranges are within one key or 2 % of
 * those of simulations, from 2 places to 2^31, and from one key to millions.
 */

/** Both ends belong to the range. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface PlaceClass {
  readonly count: number;
  /** The share of the keys that each gets. All shares add up to 1. */
  readonly share: number;
  /** The share that each should have by its weight. */
  readonly fair: number;
}

/** The ends of 95 %. */
const TAIL = 0.025;
/** Of a normal distribution, 95 % lies within so many standard deviations. */
const NORMAL = 1.96;
/** From this variance on a binomial is as good as normal: its ends differ by less than one key. */
const MAX_SUMMED = 100;
/** Weighted places are compared in steps of 1/1000 of the average. */
const STEPS = 1000;

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * The most keys that a place has, or the fewest, for its weight: keys ÷ (fair share · number of places). Of equal places it
 * is the number of keys of the fullest, or of the emptiest.
 *
 * P(max ≤ k) = Π F_i(k) · C, where F_i is the distribution function of a Poisson number of mean keys · share. C corrects for
 * the sum of these numbers, which is the number of keys (Levin, "A representation for multinomial cumulative distribution
 * functions", 1981): it is P(sum = keys) if no number is above k, divided by P(sum = keys). Both are normal here.
 * P(min ≥ k) is the same with numbers that are not below k.
 */
export function extremeByChance(keys: number, classes: readonly PlaceClass[], isFewest = false): Range {
  const places = sumOf(classes.map(({ count }) => count));
  if (places === 1) return { low: keys, high: keys };
  // Keys of one step, for a place of average weight. One of another weight may be anywhere within the last step.
  const [step, within] = classes.length === 1 ? [1, 0] : [keys / places / STEPS, 1];
  // P(min < k + 1) grows with k.
  const isAtMost = (steps: number) => {
    const probability = likelihood(keys, classes, (mean, fair) =>
      isFewest
        ? bounded(Math.ceil((steps + 1) * step * fair * places - 1e-9) - 1, mean, true)
        : bounded(Math.floor(steps * step * fair * places + 1e-9), mean, false),
    );
    return isFewest ? 1 - probability : probability;
  };
  const low = firstWhere(isAtMost, TAIL) - (isFewest ? 0 : within);
  const high = firstWhere(isAtMost, 1 - TAIL) + (isFewest ? within : 0);
  return { low: low * step, high: high * step };
}

/**
 * How many places have no key. Place i has none with the probability q = (1 - share)^keys; the mean is Σ q, and the variance
 * Σ q (1 - q) - keys (Σ share · q)^2, because one empty place makes another one less likely.
 */
export function emptyByChance(keys: number, classes: readonly PlaceClass[]): Range {
  const each = classes.map(({ count, share }) => ({ count, share, q: Math.exp(keys * Math.log1p(-share)) }));
  const mean = sumOf(each.map(({ count, q }) => count * q));
  const alone = sumOf(each.map(({ count, q }) => count * q * (1 - q)));
  const variance = alone - keys * sumOf(each.map(({ count, share, q }) => count * share * q)) ** 2;
  return rangeOf(mean, Math.max(0, variance));
}

/** How many keys move if each does with the same probability: binomial. */
export function movedByChance(keys: number, share: number): Range {
  return rangeOf(keys * share, keys * share * (1 - share));
}

/** The range of a number of known mean and variance, which is at most the mean: of the binomial that has both. */
function rangeOf(mean: number, variance: number): Range {
  if (variance < 1e-9 || variance > MAX_SUMMED || mean > 7 * MAX_SUMMED) {
    const reach = NORMAL * Math.sqrt(variance) + 0.5;
    return { low: Math.max(0, Math.ceil(mean - reach)), high: Math.floor(mean + reach) };
  }
  const p = Math.max(1e-12, 1 - variance / mean);
  const trials = mean / p;
  let likely = Math.exp(trials * Math.log1p(-p));
  let sum = likely;
  let low = 0;
  let high = 0;
  // Each of the steps has (trials - k) / (k + 1) · p / (1 - p) times the probability of the one before.
  while (sum < 1 - TAIL && high < trials) {
    likely *= (Math.max(0, trials - high) / (high + 1)) * (p / (1 - p));
    high++;
    if (sum < TAIL) low = high;
    sum += likely;
  }
  return { low, high };
}

/** A Poisson number within bounds: its logarithmic probability, and the mean and variance that it then has. */
type Bounded = Readonly<Record<'log' | 'mean' | 'variance', number>>;

function likelihood(
  keys: number,
  classes: readonly PlaceClass[],
  boundedOf: (mean: number, fair: number) => Bounded | undefined,
): number {
  let [log, mean, variance] = [0, 0, 0];
  for (const { count, share, fair } of classes) {
    const one = boundedOf(keys * share, fair);
    if (one === undefined) return 0;
    log += count * one.log;
    mean += count * one.mean;
    variance += count * one.variance;
  }
  const off = keys - mean;
  if (variance < 1e-9) return Math.abs(off) < 0.5 ? 1 : 0;
  return Math.min(1, Math.exp(log - (off * off) / (2 * variance)) * Math.sqrt(keys / variance));
}

/**
 * A Poisson number that is at most k, or above. With r = P(X = k) / P(X ≤ k) the mean of the former is m = λ (1 - r), and its
 * variance m - λ r (k - m). With r = P(X = k) / P(X > k) those of the latter are m = λ (1 + r), and m + λ r (k - m).
 */
function bounded(k: number, lambda: number, isAbove: boolean): Bounded | undefined {
  if (k < 0) return isAbove ? { log: 0, mean: lambda, variance: lambda } : undefined;
  const { at, upTo, beyond } = poisson(k, lambda);
  const [sign, share, rest] = isAbove ? [1, beyond, upTo] : [-1, upTo, beyond];
  const r = (sign * at) / share;
  const mean = lambda * (1 + r);
  const log = rest < 0.5 ? Math.log1p(-rest) : Math.log(share);
  return share === 0 ? undefined : { log, mean, variance: Math.max(0, mean + lambda * r * (k - mean)) };
}

/** P(X = k), P(X ≤ k) and P(X > k). The smaller side is summed: about 8 √λ terms where they are largest. */
function poisson(k: number, lambda: number): { at: number; upTo: number; beyond: number } {
  const at = Math.exp(k * Math.log(lambda) - lambda - logFactorial(k));
  if (k < lambda) {
    let sum = at;
    for (let term = at, i = k; i > 0 && term > sum * 1e-17; i--) sum += term *= i / lambda;
    return { at, upTo: sum, beyond: 1 - sum };
  }
  let sum = 0;
  for (let term = at, i = k + 1; ; i++) {
    term *= lambda / i;
    sum += term;
    if (term <= sum * 1e-17) return { at, upTo: 1 - sum, beyond: sum };
  }
}

/** ln k!: a sum up to 15, and Stirling's series with an error below 1e-10 above. */
function logFactorial(k: number): number {
  if (k > 15) return (k + 0.5) * Math.log(k) - k + Math.log(2 * Math.PI) / 2 + 1 / (12 * k) - 1 / (360 * k ** 3);
  let sum = 0;
  for (let i = 2; i <= k; i++) sum += Math.log(i);
  return sum;
}

/** The least whole number at which a probability that grows with it reaches a level. */
function firstWhere(probability: (steps: number) => number, level: number): number {
  let high = 1;
  while (probability(high) < level) high *= 2;
  let low = -1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (probability(middle) < level) low = middle;
    else high = middle;
  }
  return high;
}
