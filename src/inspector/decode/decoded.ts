import type { Layout } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { activeKernels, type IdColumn } from '../read/id-column.js';
import { Problem } from '../read/problems.js';
import { type Place, placesOf } from './layout-choice.js';

export interface DecodedField {
  readonly place: Place;
  readonly values: ColumnArray;
}

/** The columns of a layout's fields. Rows that are no id, or none of the layout, have a problem and hold nothing of use. */
export interface Decoded {
  readonly fields: readonly DecodedField[];
  readonly problems: Uint8Array;
  /** Ids that the layout refuses. */
  readonly misfits: number;
  readonly ms: number;
}

export function decode(column: IdColumn, layout: Layout): Decoded {
  const start = performance.now();
  const fields = placesOf(layout).map((place) => ({ place, values: newColumn(place.bits, column.ids.length) }));
  activeKernels().unpack(
    column.ids,
    fields.map(({ place: { shift, mask }, values }) => ({ values, shift, mask })),
  );
  const ms = performance.now() - start;
  return { fields, ms, ...misfitsOf(column, layout, fields) };
}

/** The narrowest type that holds a field, as unpackMany chooses it. */
export function newColumn(bits: number, rows: number): ColumnArray {
  if (bits <= 8) return new Uint8Array(rows);
  if (bits <= 16) return new Uint16Array(rows);
  if (bits <= 32) return new Uint32Array(rows);
  return bits <= 53 ? new Float64Array(rows) : new BigUint64Array(rows);
}

/** What unpackMany would refuse the whole column for. */
function misfitsOf(
  { ids, problems }: IdColumn,
  layout: Layout,
  fields: readonly DecodedField[],
): { problems: Uint8Array; misfits: number } {
  const kernels = activeKernels();
  const suspects = fields.filter(({ place, values }) => {
    const { min, mask } = place;
    return min > 0 && kernels.firstOutside(values, BigInt(min), mask) >= 0;
  });
  const tooWide = kernels.firstOutside(ids, 0n, layout.mask) >= 0;
  if (!tooWide && suspects.length === 0) return { problems, misfits: 0 };
  const found = problems.slice();
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  const high = Number(layout.mask >> 32n);
  const low = Number(layout.mask & 0xffffffffn);
  let misfits = 0;
  for (let row = 0; row < ids.length; row++) {
    if (found[row] !== Problem.none) continue;
    const above = (halves[2 * row + 1] as number) > high || (high === 0 && (halves[2 * row] as number) > low);
    if (above) found[row] = Problem.aboveLayout;
    else if (suspects.some(({ place, values }) => (values[row] as number) < place.min)) found[row] = Problem.belowMin;
    else continue;
    misfits++;
  }
  return { problems: found, misfits };
}

/** How WebAssembly's time compares with BigInt's on the same rows, and whether they agree. */
export interface Speed {
  readonly rows: number;
  readonly times: number;
  readonly equal: boolean;
}
