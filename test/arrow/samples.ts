import { type DataType, Dictionary, type Int8, makeData, Utf8, Vector, vectorFromArray } from 'apache-arrow';

const STARTS = ['u', 'ж', 'é', '你', '😀'];

/** Texts of many lengths, empty and not ASCII among them. */
export const texts = (rows: number, from = 0): string[] =>
  Array.from({ length: rows }, (_, i) => (i % 7 === 3 ? '' : `${STARTS[i % 5]}ser:${(from + i) * 7919}`));

/** A vector with a chunk for each array. */
export function chunked<T extends DataType>(chunks: readonly (readonly unknown[])[], type: T): Vector<T> {
  const [first, ...others] = chunks.map((values) => vectorFromArray(values, type));
  if (first === undefined) throw new RangeError('a vector has at least one chunk');
  return first.concat(...others);
}

export const utf8 = (...chunks: (readonly (string | null)[])[]) => chunked(chunks, new Utf8());

export const lengths = (vector: Vector): number[] => vector.data.map(({ length }) => length);

/**
 * A vector of the values of dictionaries, with a chunk for each array of indices. A null is one by the bitmap; the index
 * in its place is out of range.
 * @param dictionaries one for all chunks, or one for each
 */
export function withNulls(
  dictionaries: Vector | readonly Vector[],
  indexType: Int8,
  ...chunks: readonly (readonly (number | null)[])[]
): Vector {
  const data = chunks.map((indices, i) => {
    const dictionary = Array.isArray(dictionaries) ? dictionaries[i] : dictionaries;
    const nullBitmap = new Uint8Array(Math.ceil(indices.length / 8));
    for (const [row, index] of indices.entries()) if (index !== null) nullBitmap[row >> 3] |= 1 << (row & 7);
    return makeData({
      type: new Dictionary(dictionary.type, indexType),
      data: indexType.ArrayType.from(indices, (index: number | null) => index ?? 99),
      nullBitmap,
      dictionary,
    } as never);
  });
  return new Vector(data as never);
}
