import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CellKind } from '../../src/kernels/record-types.js';
import { recordKernels } from '../../src/kernels/records.js';
import type { Column, ColumnType, Kernels } from '../../src/kernels/types.js';
import { onBothBackends } from '../support/backends.js';
import { scaled } from '../support/scale.js';

const SLACK = 15;
const LONGEST = 1000; // bytes of a value and what stands around it
const encoder = new TextEncoder();

type Values = BigUint64Array | Uint32Array | Float64Array;

/** The rows that columns make, each kind with its values or texts, between `<` and `>`, ended by `|`. */
function written(kernels: Kernels, columns: readonly (readonly [CellKind, Values, string[]?])[]): string[] {
  const rows = columns[0]?.[1].length ?? 0;
  const all: Column<ColumnType>[] = [];
  const column = <T extends ColumnType>(type: T, length: number): Column<T> => {
    const made = kernels.column(type, length);
    all.push(made as unknown as Column<ColumnType>);
    return made;
  };
  const bytes = (text: string) => {
    const encoded = encoder.encode(text);
    const made = column('u8', encoded.length + SLACK);
    made.array.set(encoded);
    return () => made.array.subarray(0, encoded.length);
  };
  const texts = columns.map(([, , given]) => {
    const offsets = column('u32', (given?.length ?? 0) + 1);
    for (const [i, text] of (given ?? []).entries()) {
      offsets.array[i + 1] = offsets.array[i] + encoder.encode(`<${text}>`).length;
    }
    return given && { text: bytes(given.map((text) => `<${text}>`).join('')), offsets: () => offsets.array };
  });
  const none = bytes('');
  const [before, after, end] = [bytes('<'), bytes('>'), bytes('|')];
  const values = columns.map(([, given]) => {
    const type = given instanceof BigUint64Array ? 'u64' : given instanceof Uint32Array ? 'u32' : 'f64';
    const made = column(type, rows);
    (made.array as Uint32Array).set(given as Uint32Array);
    return made;
  });
  const descriptors = column('u32', 6 * (columns.length + 1));
  const text = column('u8', rows * (columns.length * LONGEST + 1) + SLACK);
  const offsets = column('u32', rows + 1);
  const cells = columns.map(([kind], i) => {
    const given = { kind, values: values[i]?.array as Values };
    const some = texts[i];
    if (some === undefined) return { ...given, before: before(), after: after() };
    return { ...given, before: none(), after: none(), texts: { text: some.text(), offsets: some.offsets() } };
  });
  const table = { columns: cells, end: end(), descriptors: descriptors.array };
  recordKernels(kernels).tableRows(table, rows, text.array, offsets.array);
  const made = Array.from({ length: rows }, (_, row) => {
    return new TextDecoder().decode(text.array.slice(offsets.array[row], offsets.array[row + 1]));
  });
  for (const one of all) one.free();
  return made;
}

const isoOf = (ms: number): string => {
  const date = new Date(Math.floor(ms));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
};

onBothBackends('rows of values', (kernels) => {
  it('have numbers of any length', () => {
    const u64s = Array.from({ length: 20 }, (_, i) => 10n ** BigInt(i)).flatMap((ten) => [ten - 1n, ten, ten + 1n]);
    const values = BigUint64Array.from([...u64s, 2n ** 64n - 1n]);
    expect(written(kernels, [['u64', values]])).toEqual([...values].map((value) => `<${value}>|`));
    const small = Uint32Array.from(values, (value) => Number(value & 0xffffffffn));
    expect(written(kernels, [['u32', small]])).toEqual([...small].map((value) => `<${value}>|`));
    const hex = (value: bigint) => value.toString(16).padStart(16, '0');
    expect(written(kernels, [['hex', values]])).toEqual([...values].map((value) => `<${hex(value)}>|`));
  });

  it('have milliseconds with the decimals that there are', () => {
    const values = [0, 1, -1, 0.5, -0.125, 1700000000000.123, 1700000000000.1, 9007199254740991, -86400000.001, 12.34];
    expect(written(kernels, [['ms', Float64Array.from(values)]])).toEqual(values.map((value) => `<${value}>|`));
  });

  it('have dates of all years, and nothing beyond them', () => {
    const years = [
      -271820, -10000, -9999, -1, 0, 1, 4, 100, 400, 1582, 1900, 1969, 1970, 2000, 2024, 9999, 10000, 275760,
    ];
    const days = years.flatMap((year) =>
      ['01-01', '02-28', '02-29', '03-01', '08-31', '12-31'].map((day) =>
        Date.UTC(year, Number(day.slice(0, 2)) - 1, Number(day.slice(3))),
      ),
    );
    const ends = [8.64e15, -8.64e15, 8.64e15 + 1, -8.64e15 - 1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53];
    const values = Float64Array.from([...days, ...days.map((day) => day + 86399999.999), ...ends]);
    expect(written(kernels, [['date', values]])).toEqual([...values].map((ms) => `<${isoOf(ms)}>|`));
    expect(written(kernels, [['dateIfAny', values]])).toEqual(
      [...values].map((ms) => (isoOf(ms) === '' ? '|' : `<${isoOf(ms)}>|`)),
    );
  });

  it('have texts, of any length and as often as they come', () => {
    const texts = ['db1', '', 'é日', 'x'.repeat(300), 'b'.repeat(16)];
    const indexes = Uint32Array.of(4, 0, 3, 3, 1, 2, 0);
    const made = written(kernels, [
      ['u32', indexes],
      ['text', indexes, texts],
      ['text', indexes.toReversed(), texts],
    ]);
    expect(made).toEqual(
      [...indexes].map((index, row) => `<${index}><${texts[index]}><${texts[indexes.at(-1 - row) as number]}>|`),
    );
  });

  it('have columns of all kinds beside each other, whatever their values', () => {
    const row = fc.record({
      u64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      small: fc.bigInt({ min: 0n, max: 2n ** 27n }),
      u32: fc.nat({ max: 2 ** 32 - 1 }),
      ms: fc.maxSafeInteger(),
      thousandths: fc.integer({ min: -(10 ** 15), max: 10 ** 15 }),
      date: fc.oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
        fc.double(),
      ),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const f64 = (name: 'ms' | 'date') => Float64Array.from(rows, (one) => one[name]);
        const u64 = (name: 'u64' | 'small') => BigUint64Array.from(rows, (one) => one[name]);
        const made = written(kernels, [
          ['u64', u64('u64')],
          ['hex', u64('small')],
          ['u64', u64('small')],
          ['u32', Uint32Array.from(rows, ({ u32 }) => u32)],
          ['ms', f64('ms')],
          ['ms', Float64Array.from(rows, ({ thousandths }) => thousandths / 1000)],
          ['date', f64('date')],
        ]);
        expect(made).toEqual(
          rows.map(({ u64, small, u32, ms, thousandths, date }) => {
            const hex = small.toString(16).padStart(16, '0');
            return `<${u64}><${hex}><${small}><${u32}><${ms}><${thousandths / 1000}><${isoOf(date)}>|`;
          }),
        );
      }),
      { numRuns: scaled(1000) },
    );
  }, 60_000);
});
