/**
 * Splits rows into pieces, of at most so many rows. A row that is larger than a piece is a piece by itself.
 * @param sizeOf the size of a row. Those of a piece add up to `mostSize` at most
 */
export function* piecesOf(
  rows: number,
  mostRows: number,
  sizeOf: (row: number) => number = () => 0,
  mostSize = 0,
): Generator<[from: number, to: number]> {
  let from = 0;
  let size = 0;
  for (let row = 0; row < rows; row++) {
    const added = sizeOf(row);
    if (row > from && (row - from === mostRows || size + added > mostSize)) {
      yield [from, row];
      from = row;
      size = 0;
    }
    size += added;
  }
  if (from < rows) yield [from, rows];
}
