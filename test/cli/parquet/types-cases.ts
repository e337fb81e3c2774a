// Which types of columns are written as they are, and which are refused. What files hold is read by hyparquet, not DuckDB.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { type Element, type Leaf, LOGICAL, writeParquetFile } from '../../support/parquet-file.js';
import { runHere } from '../../support/run-here.js';
import type { Part } from './parts.js';
import { ROUTE } from './refused.js';

const bytes = (...hex: string[]) => hex.map((text) => Buffer.from(text, 'hex'));
export const texts = (...values: string[]) => values.map((value) => Buffer.from(value));
const MAX = 2n ** 63n - 1n;
const LARGE = [0n, -1n, MAX, -MAX - 1n];
const DAY = 86_400_000;
const WIDE = `4b3b4ca85a86c47a098a223fffffffff`; // 10^38 - 1

/** A column of a type, what it holds, what it holds afterwards if that is something else, and its type afterwards. */
type Kept = [
  element: Omit<Element, 'name'>,
  values: Leaf['values'],
  expected?: readonly unknown[] | undefined,
  type?: string,
];
const { integer, time, timestamp, decimal, STRING, ENUM, JSON: JSONS, UUID, FLOAT16, DATE, NULL } = LOGICAL;
const thousandfold = (values: readonly (number | bigint)[]) => values.map((value) => 1000n * BigInt(value));

function times(
  physical: 'INT32' | 'INT64',
  unit: 'MILLIS' | 'MICROS',
  of: 'TIME' | 'TIMESTAMP',
  values: Leaf['values'],
) {
  const converted = `${of}_${unit}`;
  const logical = of === 'TIME' ? time : timestamp;
  const expected = unit === 'MILLIS' ? thousandfold(values as number[]) : values;
  return [true, false].flatMap((isUtc): Kept[] => {
    const type = `${of} MICROS${isUtc ? ' UTC' : ''}`;
    return [undefined, converted].map((one) => [
      { type: physical, converted: one, logical: logical(unit, isUtc) },
      values,
      expected,
      type,
    ]);
  });
}

export const KEPT: readonly Kept[] = [
  [{ type: 'BOOLEAN' }, [true, false, true]],
  [{ type: 'INT32' }, [0, -1, 2 ** 31 - 1, -(2 ** 31)]],
  [{ type: 'INT64' }, LARGE],
  [{ type: 'FLOAT' }, [-0, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** -149, 1.5]],
  [{ type: 'DOUBLE' }, [-0, Number.NaN, Number.POSITIVE_INFINITY, Number.MIN_VALUE, 0.1]],
  [{ type: 'BYTE_ARRAY' }, bytes('', '00', 'ff', 'c328')],
  [{ type: 'FIXED_LEN_BYTE_ARRAY', length: 3 }, bytes('000000', 'ff0001')],
  [{ type: 'INT32', logical: NULL }, []],
  ...[undefined, true as const].flatMap((isLogical): Kept[] => [
    [{ type: 'INT32', converted: 'INT_8', logical: isLogical && integer(8, true) }, [0, -128, 127], undefined, 'INT_8'],
    [
      { type: 'INT32', converted: 'INT_16', logical: isLogical && integer(16, true) },
      [-32768, 32767],
      undefined,
      'INT_16',
    ],
    [
      { type: 'INT32', converted: 'INT_32', logical: isLogical && integer(32, true) },
      [-(2 ** 31), 7],
      undefined,
      'INT_32',
    ],
    [{ type: 'INT64', converted: 'INT_64', logical: isLogical && integer(64, true) }, LARGE, undefined, 'INT_64'],
    [{ type: 'INT32', converted: 'UINT_8', logical: isLogical && integer(8, false) }, [0, 255], undefined, 'UINT_8'],
    [
      { type: 'INT32', converted: 'UINT_16', logical: isLogical && integer(16, false) },
      [0, 65535],
      undefined,
      'UINT_16',
    ],
    [
      { type: 'INT32', converted: 'UINT_32', logical: isLogical && integer(32, false) },
      [-1, -(2 ** 31)],
      undefined,
      'UINT_32',
    ],
    [{ type: 'INT64', converted: 'UINT_64', logical: isLogical && integer(64, false) }, LARGE, undefined, 'UINT_64'],
    [
      { type: 'BYTE_ARRAY', converted: 'UTF8', logical: isLogical && STRING },
      texts('', '\0', 'é', '\ufeffa'),
      undefined,
      'UTF8',
    ],
    [{ type: 'BYTE_ARRAY', converted: 'ENUM', logical: isLogical && ENUM }, texts('red', ''), undefined, 'UTF8'],
    [
      { type: 'BYTE_ARRAY', converted: 'JSON', logical: isLogical && JSONS },
      texts('{ "b":1.0,"a":1e400 }', '[]'),
      undefined,
      'JSON',
    ],
    [
      { type: 'INT32', converted: 'DATE', logical: isLogical && DATE },
      [0, -1, 2 ** 31 - 1, -(2 ** 31)],
      undefined,
      'DATE',
    ],
    [
      { type: 'INT32', converted: 'DECIMAL', precision: 9, scale: 2, logical: isLogical && decimal(9, 2) },
      [150, -999_999_999],
      [150n, -999_999_999n],
      'DECIMAL(9,2)',
    ],
    [
      { type: 'INT64', converted: 'DECIMAL', precision: 5, scale: 5, logical: isLogical && decimal(5, 5) },
      [150n, -99_999n],
      [150n, -99_999n],
      'DECIMAL(5,5)',
    ],
    [
      { type: 'BYTE_ARRAY', converted: 'DECIMAL', precision: 10, scale: 0, logical: isLogical && decimal(10, 0) },
      bytes('', 'ff', '0096'),
      [0n, -1n, 150n],
      'DECIMAL(10,0)',
    ],
    [
      {
        ...({ type: 'FIXED_LEN_BYTE_ARRAY', length: 17, converted: 'DECIMAL', precision: 38, scale: 10 } as const),
        logical: isLogical && decimal(38, 10),
      },
      bytes(`00${WIDE}`, `${'ff'.repeat(16)}00`),
      [10n ** 38n - 1n, -256n],
      'DECIMAL(38,10)',
    ],
  ]),
  ...times('INT32', 'MILLIS', 'TIME', [0, 1, DAY - 1]),
  ...times('INT64', 'MICROS', 'TIME', [0n, 1n, 1000n * BigInt(DAY) - 1n]),
  ...times('INT64', 'MILLIS', 'TIMESTAMP', [0n, -1n, 1_700_000_000_123n, 253_402_300_799_999n]),
  ...times('INT64', 'MICROS', 'TIMESTAMP', LARGE),
  [{ type: 'INT64', logical: time('NANOS', false) }, [0n, 123_456_789n], undefined, 'TIME NANOS'],
  [{ type: 'INT64', logical: timestamp('NANOS', false) }, LARGE, undefined, 'TIMESTAMP NANOS'],
  [
    { type: 'FIXED_LEN_BYTE_ARRAY', length: 16, logical: UUID },
    bytes('ff'.repeat(16), `80${'00'.repeat(15)}`),
    undefined,
    'UUID',
  ],
  [{ type: 'FIXED_LEN_BYTE_ARRAY', length: 2, logical: FLOAT16 }, bytes('003e', '0080', 'ff7b'), [1.5, -0, 65504]],
  [
    { type: 'FIXED_LEN_BYTE_ARRAY', length: 12, converted: 'INTERVAL' },
    bytes('010000000200000003000000', 'ffffff7fffffff7fffffffff'),
    undefined,
    'INTERVAL',
  ],
];
export const leaf = (name: string, repetition: Element['repetition'] = 'optional'): Element => ({
  name,
  type: 'INT32',
  repetition,
});
const repeated = (name: string, ...children: Element[]): Element => ({ name, repetition: 'repeated', children });
const list = (inner: Element): Omit<Element, 'name'> => ({ converted: 'LIST', children: [inner] });
export const map = (inner: Element): Omit<Element, 'name'> => ({ converted: 'MAP', children: [inner] });

/** [1, 2], [], [3], NULL as the levels of a list. */
const OF_LIST = { values: [1, 2, 3], definition: [3, 3, 1, 3, 0], repetition: [0, 1, 0, 0, 0] };
const LISTS = [[1, 2], [], [3], null];
const STRUCTS = [
  [
    { x: 1, y: 1 },
    { x: 2, y: 2 },
  ],
  [],
  [{ x: 3, y: 3 }],
  null,
];
const PAIRS = [
  { values: [1, 1, 3], definition: [2, 2, 1, 2, 0], repetition: [0, 1, 0, 0, 0] },
  { values: [5, 6], definition: [3, 2, 1, 3, 0], repetition: [0, 1, 0, 0, 0] },
];

/** Shapes of groups that are kept, with all of their values. The key 1 is in the first map twice. */
export const SHAPES: readonly (readonly [Omit<Element, 'name'>, readonly Leaf[], unknown])[] = [
  [list(repeated('list', leaf('element'))), [OF_LIST], LISTS],
  [{ ...list(repeated('bag', leaf('array_element'))), logical: LOGICAL.LIST }, [OF_LIST], LISTS],
  [list(leaf('element', 'repeated')), [{ ...OF_LIST, definition: [2, 2, 1, 2, 0] }], LISTS],
  [list(repeated('array', leaf('x'), leaf('y'))), [OF_LIST, OF_LIST], STRUCTS],
  [map(repeated('key_value', leaf('key', 'required'), leaf('value'))), PAIRS, undefined],
  [
    {
      ...map({ ...repeated('map', leaf('key', 'required'), leaf('value')), converted: 'MAP_KEY_VALUE' }),
      logical: LOGICAL.MAP,
    },
    PAIRS,
    undefined,
  ],
  [
    { children: [leaf('a'), leaf('b', 'required')] },
    [
      { values: [1], definition: [2, 1, 1, 0] },
      { values: [7, 8, 9], definition: [1, 1, 1, 0] },
    ],
    [{ a: 1, b: 7 }, { a: null, b: 8 }, { a: null, b: 9 }, null],
  ],
];
export const KEYS = { name: 'id', type: 'BYTE_ARRAY', converted: 'UTF8', logical: STRING } as const;

/** Decimals as bigints, however they are stored. */
export function unscaled(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  return typeof value === 'string' ? BigInt.asIntN(4 * value.length, BigInt(`0x${value || '0'}`)) : value;
}

const flba = (length: number, rest: object): Omit<Element, 'name'> => ({
  type: 'FIXED_LEN_BYTE_ARRAY',
  length,
  ...rest,
});
export const nested = (levels: number, of: (inner: Element) => Omit<Element, 'name'>, name: string): Element =>
  levels === 0 ? leaf('element') : { ...of(nested(levels - 1, of, name)), name };

type Refused = [element: Omit<Element, 'name'>, got: string, path?: string];
const REFUSED: readonly Refused[] = [
  [flba(17, { converted: 'DECIMAL', precision: 39, scale: 2, logical: decimal(39, 2) }), 'DECIMAL(39,2)'],
  [flba(32, { converted: 'DECIMAL', precision: 76, scale: 10 }), 'DECIMAL(76,10)'],
  [{ type: 'INT32', logical: decimal(9, 2) }, 'INT32 Decimal(9,2)'],
  [{ type: 'INT32', converted: 'DECIMAL', precision: 9, scale: 2, logical: decimal(9, 3) }, 'DECIMAL(9,2)'],
  [{ type: 'INT64', logical: timestamp('NANOS', true) }, 'INT64 Timestamp NANOS UTC'],
  [{ type: 'INT64', logical: time('NANOS', true) }, 'INT64 Time NANOS UTC'],
  [{ type: 'INT64', converted: 'TIMESTAMP_MICROS' }, 'INT64 TIMESTAMP_MICROS'],
  [{ type: 'INT64', converted: 'TIMESTAMP_MILLIS' }, 'INT64 TIMESTAMP_MILLIS'],
  [{ type: 'INT64', converted: 'TIME_MICROS' }, 'INT64 TIME_MICROS'],
  [{ type: 'INT32', converted: 'TIME_MILLIS' }, 'INT32 TIME_MILLIS'],
  [{ type: 'INT96' }, 'INT96'],
  [{ type: 'INT32', logical: DATE }, 'INT32 Date'],
  [{ type: 'INT32', logical: integer(8, true) }, 'INT32 Int'],
  [{ type: 'INT64', logical: integer(64, false) }, 'INT64 Int'],
  [{ type: 'BYTE_ARRAY', logical: STRING }, 'BYTE_ARRAY String'],
  [{ type: 'BYTE_ARRAY', logical: ENUM }, 'BYTE_ARRAY Enum'],
  [{ type: 'BYTE_ARRAY', logical: JSONS }, 'BYTE_ARRAY Json'],
  [{ type: 'BYTE_ARRAY', logical: LOGICAL.BSON }, 'BYTE_ARRAY Bson'],
  [{ type: 'BYTE_ARRAY', converted: 'UTF8', logical: JSONS }, 'BYTE_ARRAY UTF8 Json'],
  [{ type: 'BYTE_ARRAY', logical: UUID }, 'BYTE_ARRAY UUID'],
  [flba(2, { converted: 'UTF8' }), 'FIXED_LEN_BYTE_ARRAY UTF8'],
  [{ type: 'BYTE_ARRAY', logical: LOGICAL.GEOMETRY }, 'BYTE_ARRAY Geometry'],
  [{ type: 'BYTE_ARRAY', logical: LOGICAL.GEOGRAPHY }, 'BYTE_ARRAY Geography'],
  // Lists and maps, and what is in them.
  [list(repeated('array', leaf('x'))), 'a LIST as other programs do not write it'],
  [list(repeated('v_tuple', leaf('x'))), 'a LIST as other programs do not write it'],
  [
    { logical: LOGICAL.LIST, children: [repeated('list', leaf('element'))] },
    'a List as other programs do not write it',
  ],
  [
    { logical: LOGICAL.MAP, children: [repeated('key_value', leaf('key'), leaf('value'))] },
    'a Map as other programs do not write it',
  ],
  [{ children: [repeated('list', leaf('element'))] }, 'a repeated group as other programs do not write it', 'v.list'],
  [{ children: [leaf('a'), { name: 'b', type: 'INT96' }] }, 'INT96', 'v.b'],
  [list(repeated('list', { name: 'element', type: 'INT96' })), 'INT96', 'v.element'],
  [map(repeated('key_value', leaf('key', 'required'), { name: 'value', type: 'INT96' })), 'INT96', 'v.value'],
  [list(repeated('list', leaf('x'), { name: 'y', type: 'INT96' })), 'INT96', 'v.list.y'],
  [{ children: [leaf('a'), leaf('A')] }, 'one whose name differs from a in case only', 'v.A'],
  [
    nested(17, (inner) => list(repeated('list', inner)), 'v'),
    'lists nested more than 16 deep',
    Array(17).fill('v').join('.'),
  ],
  [
    nested(300, (inner) => ({ children: [inner] }), 'v'),
    'groups nested more than 100 deep',
    Array(101).fill('v').join('.'),
  ],
];

/** Empty values for all leaves of a column. */
function leavesIn({ children }: Omit<Element, 'name'>): Leaf[] {
  return children === undefined ? [{ values: [] }] : children.flatMap(leavesIn);
}

/** The tables of types.test.ts. */
export function typesCases(part: Part): void {
  describe('columns that DuckDB would change are refused', () => {
    it.each(part(REFUSED))('%j', async (element, got, path = 'v') => {
      const cwd = temporaryFolder();
      writeParquetFile(
        join(cwd, 'in.parquet'),
        [{ ...element, name: 'v' }, KEYS],
        [...leavesIn(element), { values: [] }],
        0,
      );
      const { code, stderr } = await runHere([...ROUTE, '--out', 'out.parquet'], { cwd });
      const expected = `expected a column that DuckDB writes as it is, got ${got}; convert it first, or leave it out`;
      expect([code, stderr]).toEqual([1, `error: in.parquet: column ${path}: ${expected}\n`]);
      expect(readdirSync(cwd)).toEqual(['in.parquet']);
    });
  });
}
