import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { LOGICAL, writeParquetFile } from '../../support/parquet-file.js';
import { runHere } from '../../support/run-here.js';

export const FILES = 'test/cli/parquet/files';
/** A column of each type of integers. */
export const INTEGERS = join(process.cwd(), FILES, 'integers.parquet');

/** Columns with their types, which are unsigned. */
const UNSIGNED = ['u8 UTINYINT', 'u16 USMALLINT', 'u32 UINTEGER'];
/** Systems that hash integers by their type, each with the columns of types that it does not have. */
export const OTHER_WIDTHS: readonly [system: string, columns: readonly string[]][] = [
  ['hive', UNSIGNED],
  ['hive:2', UNSIGNED],
  ['kafka', ['i8 TINYINT', ...UNSIGNED]],
  ['rdkafka:murmur2', ['i8 TINYINT', ...UNSIGNED]],
  ['spark', ['u64 UBIGINT']],
  ['kinesis', ['i32 INTEGER', 'i64 BIGINT']],
];

/** The commands that read keys. */
export const ROADS = [
  ['route', '--shards', '4', '--summary'],
  ['route', '--shards', '4', '--out', 'o'],
  ['audit', '--shards', '4', '--shard-column', 'n32'],
  ['plan', '--from', '4', '--to', '5'],
];

/** A column of another width is refused by some commands. */
export async function expectRefused(
  system: string,
  columns: readonly string[],
  commands: readonly (readonly string[])[],
): Promise<void> {
  for (const [name = '', type] of columns.map((column) => column.split(' '))) {
    const got = `got "${name} of type ${type}"`;
    for (const command of commands) {
      const [first = '', ...rest] = command;
      const run = await runHere([first, INTEGERS, '--key', name, '--as', system, ...rest], { cwd: temporaryFolder() });
      expect([command, run.code, run.stderr]).toEqual([
        command,
        2,
        expect.stringContaining('--key: expected a column of a'),
      ]);
      expect([run.stderr.includes(got), run.stderr.includes(`type that ${system.split(':')[0]} is`)]).toEqual([
        true,
        true,
      ]);
    }
  }
}

type Texts = readonly [key: string, type: string, systems: readonly string[]];

/** Columns of texts of other types, each with the systems that do not hash their text. */
export const TEXTS: readonly Texts[] = [
  ['e', 'ENUM', ['postgres', 'citus', 'clickhouse:sipHash64']],
  ['in.e', 'ENUM', ['postgres', 'citus', 'clickhouse:sipHash64']],
  ['j', 'JSON', ['postgres', 'citus']],
];

/** Such columns are refused, unless the option says what they are. */
export async function expectTextsRefused(cases: readonly Texts[]): Promise<void> {
  const cwd = temporaryFolder();
  const [text] = [Buffer.from('{}')];
  writeParquetFile(
    join(cwd, 'in.parquet'),
    [
      { name: 'e', type: 'BYTE_ARRAY', converted: 'ENUM', logical: LOGICAL.ENUM },
      { name: 'in', children: [{ name: 'e', type: 'BYTE_ARRAY', converted: 'ENUM' }] },
      { name: 'j', type: 'BYTE_ARRAY', converted: 'JSON' },
    ],
    [{ values: [text] }, { values: [text] }, { values: [text] }],
    1,
  );
  const route = (key: string, system: string, ...more: string[]) =>
    runHere(['route', 'in.parquet', '--key', key, '--as', system, '--shards', '9', ...more, '--out', 'o'], { cwd });
  for (const [key, type, systems] of cases) {
    for (const system of systems) {
      const { code, stderr } = await route(key, system);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${key} of type ${type}"`)]);
      const [, known = ''] = /known to hash \((.*?)\)/.exec(stderr) ?? [];
      expect(known.split(', ')).toContain('VARCHAR');
      expect(known.split(', ')).not.toContain(type);
      // The option says what the column is in the system.
      expect(await route(key, system, '--keys', 'text')).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await route(key, 'kafka')).toMatchObject({ code: 0, stderr: '' });
  }
}
