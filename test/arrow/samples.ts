import { type DataType, Utf8, type Vector, vectorFromArray } from 'apache-arrow';

const STARTS = ['u', 'ж', 'é', '你', '😀'];

/** Texts of many lengths, empty and not ASCII among them. */
export const texts = (rows: number, from = 0): string[] =>
  Array.from({ length: rows }, (_, i) => (i % 7 === 3 ? '' : `${STARTS[i % 5]}ser:${(from + i) * 7919}`));

/** A vector with a chunk for each array. */
export function chunked<T extends DataType>(chunks: readonly (readonly unknown[])[], type: T): Vector<T> {
  const [first, ...others] = chunks.map((values) => vectorFromArray(values, type) as Vector<T>);
  if (first === undefined) throw new RangeError('a vector has at least one chunk');
  return first.concat(...others);
}

export const utf8 = (...chunks: (readonly (string | null)[])[]) => chunked(chunks, new Utf8());

export const lengths = (vector: Vector): number[] => vector.data.map(({ length }) => length);
