// Columns of integers whose width matters to the system that hashes them: the system's own result, or an error.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { parquetColumn } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import type { Part } from './parts.js';
import { INTEGERS } from './widths.js';

/** The tables of widths.test.ts. */
export function widthsCases(part: Part): void {
  it.each(
    part([
      // Spark 3.5: hash(42S) and hash(42Y) are those of int 42.
      ['spark', 'i16', 773],
      ['spark', 'i8', 773],
      ['spark', 'i32', 773],
      ['spark', 'i64', 768],
      ['spark', 'u16', 773], // read as an int
      ['spark', 'u32', 768], // read as a bigint
      ['hive', 'i32', 659],
      ['hive', 'i64', 178],
      ['hive', 'i8', 42],
      ['hive', 'i16', 815],
      ['hive:1', 'i8', 42],
      ['hive:1', 'i16', 42],
      ['iceberg', 'i16', 806],
      ['iceberg', 'u32', 806],
      ['flink', 'i8', 29],
    ]),
  )('%s hashes a column %s as it does itself', async (system, column, expected) => {
    const cwd = temporaryFolder();
    const shards = system === 'flink' ? '128' : '1000';
    const args = ['route', INTEGERS, '--key', column, '--as', system, '--shards', shards, '--out', 'out.parquet'];
    expect(await runHere(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect((await parquetColumn(join(cwd, 'out.parquet')))[0]).toBe(expected);
  });
}
