import type { FieldPlace, Layout, LayoutTime } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { activeKernels, type IdColumn } from '../read/id-column.js';
import { Problem } from '../read/problems.js';

export interface DecodedField {
  readonly place: FieldPlace;
  /** Of the field that holds time. Its values are units: exact for every id, and compared without being converted. */
  readonly time: LayoutTime | undefined;
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
  const { places, time } = layout;
  const { problems, misfits } = misfitsOf(column, layout);
  const ids = withoutBad(column.ids, problems, misfits + column.bad, layout);
  const start = performance.now();
  const columns = layout.unpackMany(ids, time && { out: { [time.name]: new BigUint64Array(ids.length) } });
  const ms = performance.now() - start;
  const fields = places.map((place) => ({
    place,
    time: place.name === time?.name ? time : undefined,
    values: columns[place.name] as ColumnArray,
  }));
  return { fields, problems, misfits, ms };
}

/** The same ids where all are good; else the layout's smallest in place of each bad one, which unpackMany would refuse. */
function withoutBad(ids: BigUint64Array, problems: Uint8Array, bad: number, { places }: Layout): BigUint64Array {
  if (bad === 0) return ids;
  const smallest = places.reduce((id, { min, shift }) => id | (BigInt(min) << BigInt(shift)), 0n);
  const good = ids.slice();
  for (let row = 0; row < good.length; row++) if (problems[row] !== Problem.none) good[row] = smallest;
  return good;
}

/** What unpackMany would refuse the whole column for. */
function misfitsOf({ ids, problems, wide }: IdColumn, layout: Layout): { problems: Uint8Array; misfits: number } {
  const kernels = activeKernels();
  const suspects = layout.places
    .filter(({ min }) => min > 0)
    .map(({ min, shift, mask }) => ({ min: BigInt(min), shift, mask, values: new BigUint64Array(ids.length) }));
  if (suspects.length > 0) kernels.unpack(ids, suspects);
  const tooLow = suspects.filter(({ values, min, mask }) => kernels.firstOutside(values, min, mask) >= 0);
  const tooWide = kernels.firstOutside(ids, 0n, layout.mask) >= 0;
  if (!tooWide && tooLow.length === 0) return { problems, misfits: wide?.timeless ?? 0 };
  const found = problems.slice();
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  const high = Number(layout.mask >> 32n);
  const low = Number(layout.mask & 0xffffffffn);
  let misfits = 0;
  for (let row = 0; row < ids.length; row++) {
    if (found[row] !== Problem.none) continue;
    const above = (halves[2 * row + 1] as number) > high || (high === 0 && (halves[2 * row] as number) > low);
    if (above) found[row] = Problem.aboveLayout;
    else if (tooLow.some(({ values, min }) => (values[row] as bigint) < min)) found[row] = Problem.belowMin;
    else continue;
    misfits++;
  }
  return { problems: found, misfits };
}
