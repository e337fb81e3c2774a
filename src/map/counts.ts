/** Adds to one of many counts. @returns the previous count */
export function addCount(counts: Uint16Array | Uint32Array | Float64Array, at: number, addend = 1): number {
  const before = counts[at] as number;
  counts[at] = before + addend;
  return before;
}

export function sum(counts: Float64Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
