// Which types of columns are written as they are, and which are refused. What files hold is read by hyparquet, not DuckDB.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import {
  type Element,
  type Leaf,
  LOGICAL,
  storedTypes,
  storedValues,
  writeParquetFile,
} from '../../support/parquet-file.js';
import { runHere } from '../../support/run-here.js';
import { quick } from './parts.js';
import { expectRefusedWhereWritten, ROUTE } from './refused.js';
import { KEPT, KEYS, leaf, SHAPES, texts, typesCases, unscaled } from './types-cases.js';

typesCases(quick);

describe('columns that are kept', () => {
  it('are of all of these types', async () => {
    const cwd = temporaryFolder();
    const columns = KEPT.map(([element], i): Element => ({ ...element, name: `c${i}` }));
    const rows = Math.max(...KEPT.map(([, values]) => values.length)) + 1; // NULL is in each
    const leaves = KEPT.map(
      ([, values]): Leaf => ({ values, definition: Array.from({ length: rows }, (_, i) => Number(i < values.length)) }),
    );
    const keys = { values: texts(...Array.from({ length: rows }, (_, i) => String(i))) };
    writeParquetFile(join(cwd, 'in.parquet'), [...columns, KEYS], [...leaves, keys], rows);
    expect(await runHere([...ROUTE, '--out', 'out.parquet'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const [before, types] = [storedTypes(join(cwd, 'in.parquet')), storedTypes(join(cwd, 'out.parquet'))];
    for (const [i, [{ converted }, values, given, type]] of KEPT.entries()) {
      const stored = await storedValues(join(cwd, 'out.parquet'), `c${i}`);
      const found = (converted === 'DECIMAL' ? stored.map(unscaled) : stored).slice(0, values.length);
      const expected = given ?? (await storedValues(join(cwd, 'in.parquet'), `c${i}`)).slice(0, values.length);
      expect([before[`c${i}`], found]).toEqual([before[`c${i}`], expected]);
      expect(stored.slice(values.length).every((value) => value === null)).toBe(true);
      if (type !== undefined) expect([before[`c${i}`], types[`c${i}`]]).toEqual([before[`c${i}`], type]);
    }
  });

  it.each(SHAPES)('are groups of this shape: %j', async (element, leaves, expected) => {
    const cwd = temporaryFolder();
    const keys = { values: texts('a', 'b', 'c', 'd') };
    writeParquetFile(join(cwd, 'in.parquet'), [{ ...element, name: 'v' }, KEYS], [...leaves, keys], 4);
    const rows = expected ?? (await storedValues(join(cwd, 'in.parquet'), 'v'));
    expect(await runHere([...ROUTE, '--out', 'out.parquet'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(await storedValues(join(cwd, 'out.parquet'), 'v')).toEqual(rows);
  });

  it('are all of a table that DuckDB wrote', async () => {
    const cwd = temporaryFolder();
    copyFileSync('test/cli/parquet/files/types.parquet', join(cwd, 'in.parquet'));
    expect(await runHere([...ROUTE, '--out', 'out.parquet'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    for (const name of Object.keys(storedTypes(join(cwd, 'in.parquet')))) {
      const [one, other] = ['in.parquet', 'out.parquet'].map((file) => storedValues(join(cwd, file), name));
      expect([name, await other]).toEqual([name, await one]);
    }
  });
});

describe('columns that DuckDB would change are refused', () => {
  it('if its name differs from another in case only', async () => {
    const cwd = temporaryFolder();
    writeParquetFile(join(cwd, 'in.parquet'), [leaf('ID'), KEYS], [{ values: [] }, { values: [] }], 0);
    const { code, stderr } = await runHere([...ROUTE, '--out', 'out.parquet'], { cwd });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('column id: expected a column that DuckDB writes as it is'),
    ]);
  });

  it('in every command that writes rows: nested-decimal-39-and-nanoseconds', async () => {
    await expectRefusedWhereWritten('nested-decimal-39-and-nanoseconds', 'v.amount', 'DECIMAL(39,2)');
  });

  it('also in another file than the first one', async () => {
    const cwd = temporaryFolder();
    const write = (name: string, element: Omit<Element, 'name'>) =>
      writeParquetFile(join(cwd, name), [{ ...element, name: 'v' }, KEYS], [{ values: [] }, { values: [] }], 0);
    write('a.parquet', { type: 'INT64', converted: 'TIMESTAMP_MICROS', logical: LOGICAL.timestamp('MICROS', false) });
    write('b.parquet', { type: 'INT64', converted: 'TIMESTAMP_MICROS' });
    const args = ['route', '*.parquet', '--key', 'id', '--keys', 'text', '--shards', '2', '--out', 'out.parquet'];
    const { code, stderr } = await runHere(args, { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('b.parquet: column v: expected a column that')]);
  });
});
