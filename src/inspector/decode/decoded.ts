import type { FieldPlace, Layout, LayoutTime } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { activeKernels, type IdColumn } from '../read/id-column.js';
import { Problem } from '../read/problems.js';
import { filterRows, GOOD } from './filter.js';
import { allRows } from './rows.js';

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
  const { places, time, mask: most } = layout;
  const { ids } = column;
  const kernels = activeKernels();
  const start = performance.now();
  const fields = places.map((place) => {
    const { name, bits, shift, mask } = place;
    const isTime = name === time?.name;
    return {
      place,
      shift,
      mask,
      time: isTime ? time : undefined,
      values: new (isTime ? BigUint64Array : holderOf(bits))(ids.length),
    };
  });
  kernels.unpack(ids, fields);
  const ms = performance.now() - start;
  const problems = column.problems.slice();
  let misfits = column.wide?.timeless ?? 0;
  const refuse = (values: ColumnArray, min: bigint, max: bigint, problem: Problem) => {
    const good = filterRows(allRows(ids), problems, GOOD);
    const refused = filterRows(good, values, { min, max, outside: true });
    for (const row of refused) problems[row] = problem;
    misfits += refused.length;
  };
  if (kernels.firstOutside(ids, 0n, most) >= 0) refuse(ids, 0n, most, Problem.aboveLayout);
  for (const { place, mask, values } of fields) {
    if (place.min > 0) refuse(values, BigInt(place.min), mask, Problem.belowMin);
  }
  return { fields, problems, misfits, ms };
}

/** The narrowest array whose elements hold so many bits. */
function holderOf(bits: number): new (length: number) => ColumnArray {
  if (bits <= 8) return Uint8Array;
  if (bits <= 16) return Uint16Array;
  return bits <= 32 ? Uint32Array : bits <= 53 ? Float64Array : BigUint64Array;
}
