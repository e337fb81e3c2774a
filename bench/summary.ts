/** The times of a way in all rounds. */
export interface Summary {
  /** Nanoseconds a row. */
  ns: { median: number; min: number; max: number };
  /** How many times as long as shardbits it takes: the median of the ratios within a round. 1 for shardbits itself. */
  timesShardbits: number;
}

/** @param reference the times of shardbits in the same rounds */
export function summarize(times: readonly number[], reference: readonly number[]): Summary {
  return {
    ns: { median: median(times), min: Math.min(...times), max: Math.max(...times) },
    timesShardbits: median(times.map((ns, round) => ns / reference[round])),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
