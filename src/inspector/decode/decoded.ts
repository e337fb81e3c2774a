import type { FieldPlace, Layout, LayoutTime } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { activeKernels, type IdColumn } from '../read/id-column.js';
import { Problem } from '../read/problems.js';
import { filterRows, GOOD } from './filter.js';
import { rowsOf } from './rows.js';

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
  const kernels = activeKernels();
  const problems = column.problems.slice();
  const { ids } = column;
  let misfits = column.wide?.timeless ?? 0;
  const refuse = (values: BigUint64Array, min: bigint, max: bigint, problem: Problem) => {
    if (kernels.firstOutside(values, min, max) < 0) return;
    const good = filterRows(rowsOf(ids), problems, GOOD);
    const refused = filterRows(good, values, { min, max, outside: true });
    for (const row of refused) problems[row] = problem;
    misfits += refused.length;
  };
  refuse(ids, 0n, layout.mask, Problem.aboveLayout);
  for (const { min, shift, mask } of places) {
    if (min === 0) continue;
    const values = new BigUint64Array(ids.length);
    kernels.unpack(ids, [{ shift, mask, values }]);
    refuse(values, BigInt(min), mask, Problem.belowMin);
  }
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
  return { fields, problems, misfits, ms };
}

/** The narrowest array whose elements hold so many bits. */
function holderOf(bits: number): new (length: number) => ColumnArray {
  if (bits <= 8) return Uint8Array;
  if (bits <= 16) return Uint16Array;
  return bits <= 32 ? Uint32Array : bits <= 53 ? Float64Array : BigUint64Array;
}
