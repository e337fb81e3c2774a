/**
 * What chance alone does if a hash spreads keys uniformly: keys are balls and places are bins. A place is a shard or a node.
 */

/** In one of a thousand cases chance alone goes farther, to either side. */
const TAIL = 0.0005;

/**
 * The most keys that any of some equal places gets. Each has a binomial number, and the probability that any of them is
 * above k is at most their number times that of one (Bonferroni), and nearly as much where it is small.
 * @param share the share of the keys that each gets
 */
export function mostByChance(keys: number, share: number, places: number, tail = TAIL): number {
  if (share <= 0 || share >= 1) return share <= 0 ? 0 : keys;
  const deviation = Math.sqrt(keys * share * (1 - share));
  // From where all terms are too small to count, down to where their sum does. They are logarithms, because the first ones
  // may be below what a double holds.
  let most = Math.min(keys, Math.ceil(keys * share + 12 * deviation + 40));
  const [logIn, logOut] = [Math.log(share), Math.log1p(-share)];
  let log = logChoose(keys, most) + most * logIn + (keys - most) * logOut;
  let above = 0;
  for (; most > 0; most--) {
    above += places * Math.exp(log);
    if (above > tail) break;
    log += Math.log(most / (keys - most + 1)) + logOut - logIn;
  }
  return most;
}

/** The fewest keys: the others have the most that they get by chance. */
export const leastByChance = (keys: number, share: number, places: number, tail = TAIL): number =>
  keys - mostByChance(keys, 1 - share, places, tail);

const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** ln n!: a sum up to 15, and Stirling's series with an error below 1e-10 above. */
function logFactorial(n: number): number {
  if (n > 15) return (n + 0.5) * Math.log(n) - n + Math.log(2 * Math.PI) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}
