// What theory says of transactions that each take the next number of a random prefix: C of them are in flight, on P
// prefixes. docs/how-many-prefixes.md has what follows from them for users. There are two situations:
//
// Round: C transactions start at once and read, then commit one after the other. On each prefix the first one wins.
// Steady: C writers work without a pause. When a transaction ends, its writer starts the next one on another random
// prefix. A transaction conflicts if the counter of its prefix has changed since it was read.
//
// Blocks change only C: S strings in flight, in blocks of k numbers, are S / k transactions.

/** 1 - (1 - 1/P)^n: the odds that at least one of n picks is a given prefix; exact even if they are small. */
function hit(n: number, prefixes: number): number {
  return n === 0 ? 0 : -Math.expm1(n * Math.log1p(-1 / prefixes));
}

/**
 * Round: the odds that another transaction has picked the same prefix, 1 - (1 - 1/P)^(C - 1), because each of C - 1
 * misses it with odds of 1 - 1/P. One of those that meet still wins, so this is more than the share that conflicts.
 */
export function meetingOdds(writers: number, prefixes: number): number {
  return hit(writers - 1, prefixes);
}

/** Round: how many lose, C - P (1 - (1 - 1/P)^C), because every prefix that is picked at all has one winner. */
export function roundLosers(writers: number, prefixes: number): number {
  return writers - prefixes * hit(writers, prefixes);
}

/**
 * Steady, all transactions equally long: the share that conflicts, (C - 1) / (P + C - 1).
 *
 * Writers then start in a fixed turn, C times in a latency. A commit on a prefix fails all other transactions under way
 * on it. The next one to pick the prefix starts P - 1 starts later on average, and commits C starts after that. So a
 * prefix has one commit in P + C - 1 starts, and P prefixes have P of them.
 */
export function steadyConflicts(writers: number, prefixes: number): number {
  return (writers - 1) / (prefixes + writers - 1);
}

/**
 * Steady, exponentially distributed lengths: (T - 1) / (P + T - 1). T is how many transactions end from the first pick
 * of a prefix until its commit, which counts too. With equal lengths it is C; here it is less, because short
 * transactions overtake long ones.
 *
 * Each of the C transactions under way is equally likely to end next. Say f of them know the counter as it is. With
 * odds of f/C one of these ends, and commits. Otherwise another one ends, and its writer picks the prefix with odds of
 * 1/P, so that f + 1 know the counter: T(f) = 1 + (1 - f/C) (T(f + 1)/P + (1 - 1/P) T(f)), and T = T(1). For P = 1
 * this is the birthday problem: a commit takes about sqrt(pi C / 2) transactions.
 */
export function steadyConflictsExponential(writers: number, prefixes: number): number {
  let ends = 1; // T(C): all know the counter, so whichever ends commits
  for (let knowing = writers - 1; knowing >= 1; knowing--) {
    const other = 1 - knowing / writers;
    ends = (1 + (other * ends) / prefixes) / (1 - other * (1 - 1 / prefixes));
  }
  return (ends - 1) / (prefixes + ends - 1);
}

/**
 * Steady, equal lengths: how many writers R commits in a latency take, R (P - 1) / (P - R), which is
 * R = C P / (P + C - 1) solved for C. Undefined if there are too few prefixes: P of them have at most P commits in a
 * latency.
 */
export function writersFor(commitsPerLatency: number, prefixes: number): number | undefined {
  if (commitsPerLatency >= prefixes) return prefixes === 1 && commitsPerLatency === 1 ? 1 : undefined;
  return Math.max(1, (commitsPerLatency * (prefixes - 1)) / (prefixes - commitsPerLatency));
}

/** How many seconds a transaction takes, whatever it writes, wherever strings a second are counted. */
export const LATENCY = 0.01;

/** What it takes to give ids to so many strings a second, in blocks of so many numbers. */
export interface Demand {
  /** Commits in a latency. */
  readonly commits: number;
  /** How many writers that takes, with those that conflict; undefined if there are too few prefixes. */
  readonly writers: number | undefined;
  /** The most strings a second that the prefixes allow. */
  readonly ceiling: number;
}

export function demandOf(stringsPerSecond: number, block: number, prefixes: number): Demand {
  const commits = (stringsPerSecond * LATENCY) / block;
  const writers = writersFor(commits, prefixes);
  return {
    commits,
    writers: writers === undefined ? undefined : Math.ceil(writers),
    ceiling: (prefixes * block) / LATENCY,
  };
}
