/** The numbers of all rows of a column. */
export function allRows({ length }: { readonly length: number }): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

/** The low and the high half of each: bigints take ten times as long. */
export function halvesOf(values: BigUint64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
}
