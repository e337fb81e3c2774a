/** How evenly keys are spread over shards: keys per shard. */
export interface Balance {
  min: number;
  max: number;
  mean: number;
  /** The standard deviation over all shards. */
  deviation: number;
}

/** @param counts how many keys each shard has; at least one shard */
export function balanceOf(counts: ArrayLike<number>): Balance {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] as number;
    if (count < min) min = count;
    if (count > max) max = count;
    sum += count;
  }
  const mean = sum / counts.length;
  let squares = 0;
  for (let i = 0; i < counts.length; i++) squares += ((counts[i] as number) - mean) ** 2;
  return { min, max, mean, deviation: Math.sqrt(squares / counts.length) };
}
