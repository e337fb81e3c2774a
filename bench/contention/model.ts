// What theory says of C transactions in flight on P counters, each on one it picked at random. Two situations:
//
// Round: C start at once and read, then end one after the other. Of those on one counter the first wins.
// Steady: C writers without a pause, each starting its next transaction, on a new pick, when one has ended. A
// transaction conflicts if its counter has changed since it was read.
//
// Blocks change nothing here but C: S strings in flight, k numbers a commit, are S / k transactions.

/** 1 - (1 - 1/P)^n: the odds that at least one of n picks falls on a given counter, exact where they are small. */
function hit(n: number, prefixes: number): number {
  return n === 0 ? 0 : -Math.expm1(n * Math.log1p(-1 / prefixes));
}

/**
 * Round: the odds that another one has picked the same prefix, 1 - (1 - 1/P)^(C - 1), as none of C - 1 misses it
 * but with (1 - 1/P)^(C - 1). Of those that meet, one still wins: a bound for conflicts, not their number.
 */
export function meetingOdds(writers: number, prefixes: number): number {
  return hit(writers - 1, prefixes);
}

/** Round: how many lose, C - P (1 - (1 - 1/P)^C): every prefix that is picked at all has one winner. */
export function roundLosers(writers: number, prefixes: number): number {
  return writers - prefixes * hit(writers, prefixes);
}

/**
 * Steady, all transactions equally long: the conflicting part of all, (C - 1) / (P + C - 1).
 *
 * Transactions then start in a fixed turn, C to a latency. After a commit, those under way on that prefix are
 * lost; the first to pick it anew, P - 1 starts later on average, commits C starts after that. So a prefix has a
 * commit every P + C - 1 starts, and P prefixes have P of them.
 */
export function steadyConflicts(writers: number, prefixes: number): number {
  return (writers - 1) / (prefixes + writers - 1);
}

/**
 * Steady, exponentially distributed lengths: (T - 1) / (P + T - 1), T being how many transactions end from the
 * first pick of a prefix to its commit, itself included: C above, fewer here, as short ones overtake.
 *
 * Whatever ends next is any of the C with equal odds. With f under way that know the counter as it is, that is one
 * of them with f/C, a commit; else its writer picks the prefix with 1/P, and f + 1 know it:
 * T(f) = 1 + (1 - f/C) (T(f + 1)/P + (1 - 1/P) T(f)), and T = T(1). For P = 1 this is the birthday problem: about
 * sqrt(pi C / 2) transactions for one commit.
 */
export function steadyConflictsExponential(writers: number, prefixes: number): number {
  let ends = 1; // T(C): whichever ends, commits
  for (let knowing = writers - 1; knowing >= 1; knowing--) {
    const other = 1 - knowing / writers;
    ends = (1 + (other * ends) / prefixes) / (1 - other * (1 - 1 / prefixes));
  }
  return (ends - 1) / (prefixes + ends - 1);
}

/**
 * Steady, equal lengths: how many writers it takes for R commits to a latency, R (P - 1) / (P - R), where
 * R = C P / (P + C - 1) is solved for C. P prefixes have at most P commits to a latency: undefined from there on.
 */
export function writersFor(commitsPerLatency: number, prefixes: number): number | undefined {
  if (commitsPerLatency >= prefixes) return prefixes === 1 && commitsPerLatency === 1 ? 1 : undefined;
  return Math.max(1, (commitsPerLatency * (prefixes - 1)) / (prefixes - commitsPerLatency));
}
