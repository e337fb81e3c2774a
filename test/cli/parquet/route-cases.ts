import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router } from '../../../src/index.js';
import { make } from '../../partitioners/samples.js';
import { temporaryFolder } from '../../support/cli.js';
import { parquetColumn, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { KEYS, numbers, shards, succeed } from './keys-table.js';
import type { Part } from './parts.js';

const { texts, bytes, int32s, int64s, uuids } = KEYS;
const bigints = (values: Iterable<number | bigint>) => BigInt64Array.from(values as Iterable<bigint>, BigInt);

/** The tables of route of Parquet. @param pathOfTable where the table of keys is when tests run */
export function routeCases(part: Part, pathOfTable: () => string): void {
  async function routed(args: string[], column = 'shard'): Promise<unknown[]> {
    const cwd = await succeed(['route', pathOfTable(), ...args, '--out', 'out.parquet']);
    return parquetColumn(join(cwd, 'out.parquet'), column);
  }

  describe('route of Parquet gives the shards of a Router', () => {
    const router = new Router({ shards: 1000 });
    it.each(
      part([
        ['text', texts],
        ['user.key', texts],
        ['a.b', texts],
        ['bytes', bytes],
        ['uuid', uuids],
        ['uuid_text', uuids.map((uuid) => uuid.toUpperCase())],
        ['colour', numbers.map((n) => ['red', 'green', 'blue'][n % 3])],
      ]),
    )('for a column of its own type: %s', async (key, keys) => {
      expect(await routed(['--key', key, '--shards', '1000'])).toEqual(shards(router, keys));
    });

    it.each(
      part([
        ['u64', 'int64_text', int64s],
        ['u64', 'u64', int64s],
        ['u64', 'int64', int64s],
        ['u64', 'int32', bigints(int32s)],
        ['u64', 'tiny', bigints(numbers.map((n) => n % 100))],
        ['u64', 'utiny', bigints(numbers.map((n) => n % 200))],
        ['u64', 'small', bigints(numbers.map((n) => n % 30000))],
        ['u64', 'usmall', bigints(numbers)],
        ['u64', 'uint', bigints([...int64s].map((value) => value & 0xffff_ffffn))],
        ['u64', 'whole', int64s],
        ['text', 'int64', Array.from(int64s, String)],
        ['text', 'bytes', bytes],
      ]),
    )('for --keys %s: %s', async (kind, key, keys) => {
      expect(await routed(['--key', key, '--keys', kind, '--shards', '1000'])).toEqual(shards(router, keys));
    });
  });

  describe('route of Parquet gives the shards of another system', () => {
    it.each(
      part([
        ['kafka', { partitions: 12 }, 'text', 'text', texts],
        ['kafka', { partitions: 12 }, 'bytes', 'bytes', bytes],
        ['kafka', { partitions: 12 }, 'int32', 'int32', int32s],
        ['kafka', { partitions: 12 }, 'int64', 'int64', int64s],
        ['kafka', { partitions: 12 }, 'uuid', 'uuid', uuids],
        ['postgres', { modulus: 12 }, 'uuid', 'uuid', uuids],
        ['postgres', { modulus: 12 }, 'int32', 'int32', int32s],
        ['discord', { shards: 12 }, 'int64', 'usmall', bigints(numbers)],
        ['spark', { partitions: 12 }, 'text', 'text', texts],
      ]),
    )('%s %j: %s from the column %s', async (system, options, kind, key, keys) => {
      const expected = shards(make(system, { ...options, key: kind }), keys);
      expect(await routed(['--key', key, '--as', system, '--shards', '12'])).toEqual(expected);
    });

    it.each(
      part([
        ['int64', 'int64_text', int64s],
        ['int32', 'small', Int32Array.from(numbers.map((n) => n % 30000))],
        ['uuid', 'uuid_text', uuids],
        ['text', 'uuid', uuids],
      ]),
    )('as --keys says: %s from the column %s', async (kind, key, keys) => {
      const expected = shards(make('kafka', { partitions: 12, key: kind }), keys);
      expect(await routed(['--key', key, '--keys', kind, '--as', 'kafka', '--shards', '12'])).toEqual(expected);
    });
  });

  describe('route of Parquet refuses', () => {
    const ROUTE = ['route', 'keys.parquet', '--shards', '12'];
    let cwd: string;
    let bytes: Buffer;
    beforeAll(async () => {
      cwd = temporaryFolder(afterAll);
      bytes = readFileSync(pathOfTable());
      writeFileSync(join(cwd, 'keys.parquet'), bytes);
      writeFileSync(join(cwd, 'cut.parquet'), bytes.subarray(0, 1000));
      writeFileSync(join(cwd, 'text.txt'), 'PAR1 is a key\n');
      writeFileSync(join(cwd, 'not.parquet'), '');
      await writeParquet(join(cwd, 'taken.parquet'), "select 'x' as filename, 1 as n");
      mkdirSync(join(cwd, 'full'));
      writeFileSync(join(cwd, 'full', 'file'), '');
    });
    it.each(
      part([
        [[...ROUTE, '--out', 'o'], 2, 'Parquet requires --key'],
        [
          [...ROUTE, '--key', 'text', '--key', 'n', '--out', 'o'],
          2,
          '--key: expected one column of Parquet, got "text and n"',
        ],
        [[...ROUTE, '--key', 'Text', '--out', 'o'], 2, /^--key: expected one of n, text, bytes, .*, got "Text"$/],
        [[...ROUTE, '--key', 'user.nothing', '--out', 'o'], 2, /^--key: expected one of .*, got "user.nothing"$/],
        [
          [...ROUTE, '--key', 'fraction', '--out', 'o'],
          2,
          /^--key: expected a column of text, .* got "fraction of type DOUBLE"$/,
        ],
        [
          [...ROUTE, '--key', 'user', '--out', 'o'],
          2,
          /^--key: expected a column of text, .* got "user of type STRUCT/,
        ],
        [
          [...ROUTE, '--key', 'fraction', '--keys', 'u64', '--out', 'o'],
          2,
          /^--keys: .* type DOUBLE can have, got "u64"$/,
        ],
        [[...ROUTE, '--key', 'bytes', '--keys', 'u64', '--out', 'o'], 2, /^--keys: .* type BLOB can have, got "u64"$/],
        [
          [...ROUTE, '--key', 'int64', '--out', 'o'],
          2,
          '--key: expected --keys text (as in CSV) or --keys u64 (as 42n, and as functions in DuckDB) for integers, got "int64 of type BIGINT"',
        ],
        [
          [...ROUTE, '--key', 'nullable', '--keys', 'u64', '--out', 'o'],
          1,
          'keys.parquet: row 1: nullable: expected a key other than NULL, got null; --missing-key gives such records a shard',
        ],
        [
          [...ROUTE, '--key', 'nullable', '--keys', 'u64', '--out-dir', 'o'],
          1,
          'keys.parquet: row 1: nullable: expected a key other than NULL, got null; --missing-key gives such records a shard',
        ],
        [
          [...ROUTE, '--key', 'colour', '--keys', 'u64', '--out', 'o'],
          1,
          'keys.parquet: row 1: expected a decimal integer from -2^63 to 2^64 - 1, got "red"',
        ],
        [
          [...ROUTE, '--key', 'int64', '--as', 'kafka', '--keys', 'int32', '--out', 'o'],
          1,
          /^keys.parquet: row \d+: expected a decimal integer from -2\^31 to 2\^31 - 1, got "-?\d+"$/,
        ],
        [
          [...ROUTE, '--key', 'nullable', '--keys', 'u64', '--missing-key', '12', '--out', 'o'],
          2,
          /^--missing-key: .* 0 to 11, got 12$/,
        ],
        [[...ROUTE, '--key', 'text'], 2, /^Parquet requires --out, --out-dir or --summary, and is not written to/],
        [[...ROUTE, '--key', 'text', '--out', '-'], 2, /^Parquet requires --out, --out-dir or --summary/],
        [[...ROUTE, '--key', 'text', '--csv', '--out', 'o'], 2, '--csv cannot be combined with Parquet'],
        [[...ROUTE, '--key', 'text', '--no-header', '--out', 'o'], 2, '--no-header cannot be combined with Parquet'],
        [[...ROUTE, '--key', 'text', '--rejects', 'r', '--out', 'o'], 2, '--rejects cannot be combined with Parquet'],
        [
          [...ROUTE, '--key', 'text', '--format', 'tsv', '--out', 'o'],
          2,
          '--format: expected "parquet" for Parquet, got "tsv"',
        ],
        [
          [...ROUTE, '--key', 'text', '--as-column', 'N', '--out', 'o'],
          2,
          /^--as-column: .*, but there is a column "n"$/,
        ],
        [[...ROUTE, '--key', 'text', '--out', 'keys.parquet'], 2, /^--out: expected another file than the input/],
        [[...ROUTE, '--key', 'text', '--hive', '--out', 'o'], 2, '--hive requires --out-dir'],
        [
          ['route', 'keys.parquet', 'text.txt', '--shards', '2', '--key', 'n', '--out', 'o'],
          2,
          /^expected files of Parquet only, got "text.txt"$/,
        ],
        [
          ['route', 'nothing*.parquet', '--shards', '2', '--key', 'n', '--out', 'o'],
          1,
          'nothing*.parquet: no file has such a name',
        ],
        [['route', 'cut.parquet', '--shards', '2', '--key', 'n', '--out', 'o'], 1, /cut\.parquet/],
        [
          ['route', 'taken.parquet', '--shards', '2', '--key', 'filename', '--out', 'o'],
          1,
          /^taken.parquet: expected no column filename/,
        ],
        [
          ['route', 'typo.parquet', '--shards', '2', '--key', 'n', '--out', 'o'],
          1,
          'typo.parquet: no such file or directory',
        ],
        [
          ['route', 'not.parquet', '--shards', '2', '--key', 'n', '--out', 'o'],
          1,
          'not.parquet: expected a file of Parquet',
        ],
        [[...ROUTE, '--key', 'text', '--out-dir', 'full'], 1, 'full: expected a new or an empty directory'],
        [[...ROUTE, '--key', 'text', '--out', 'missing/o'], 1, 'missing: no such file or directory'],
        [[...ROUTE, '--key', 'text', '--out-dir', 'text.txt'], 1, 'text.txt: expected a new or an empty directory'],
        [[...ROUTE, '--key', 'text', '--out', 'full'], 1, 'full: expected the path of a regular file'],
        [
          [...ROUTE, '--key', 'text', '--max-rows-per-file', '0', '--out-dir', 'o'],
          2,
          /^--max-rows-per-file: expected /,
        ],
        [['hash', 'keys.parquet', '--key', 'text'], 2, 'Parquet requires --out, and is not written to standard output'],
      ]),
    )('%j', async (args, code, problem) => {
      const run = await runHere([...args], { cwd });
      const message = /^error: (.*)\n$/s.exec(run.stderr)?.[1];
      if (typeof problem === 'string') expect(message).toBe(problem);
      else expect(message).toMatch(problem);
      expect([run.code, run.stdout.toString(), existsSync(join(cwd, 'o'))]).toEqual([code, '', false]);
      expect(readdirSync(cwd).sort()).toEqual([
        'cut.parquet',
        'full',
        'keys.parquet',
        'not.parquet',
        'taken.parquet',
        'text.txt',
      ]);
      expect(readFileSync(join(cwd, 'keys.parquet')).equals(bytes)).toBe(true);
    });

    it.each(
      part(['1.5', '1e3', ' 12', '0x10', '+1', '', '18446744073709551616', '-9223372036854775809']),
    )('a text that is not an integer for --keys u64: %j', async (text) => {
      const cwd = temporaryFolder();
      await writeParquet(join(cwd, 'a.parquet'), "select '7' as id");
      await writeParquet(join(cwd, 'b.parquet'), `select unnest(['8', '${text}']) as id`);
      const args = ['route', 'a.parquet', 'b.parquet', '--key', 'id', '--keys', 'u64', '--shards', '2', '--out', 'o'];
      const { code, stderr } = await runHere(args, { cwd });
      const expected = 'expected a decimal integer from -2^63 to 2^64 - 1';
      expect([code, stderr]).toEqual([1, `error: b.parquet: row 2: ${expected}, got ${JSON.stringify(text)}\n`]);
    });
  });
}
