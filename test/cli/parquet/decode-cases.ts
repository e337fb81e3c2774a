import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import type { Part } from './parts.js';

/** The tables of decode.test.ts. */
export function decodeCases(part: Part): void {
  describe('decode of Parquet', () => {
    it.each(
      part([
        [
          ['--key', 'id', '--layout', 'client:10,entity:5'],
          1,
          'ids.parquet: row 2: expected an id of at most 15 bits, got 32768',
        ],
        [
          ['--key', 'nothing', '--layout', 'discord'],
          1,
          'ids.parquet: row 1: nothing: expected a key other than NULL, got null',
        ],
        [
          ['--key', 'word', '--layout', 'discord'],
          1,
          'ids.parquet: row 1: expected a decimal integer from -2^63 to 2^64 - 1, got "ab"',
        ],
        [
          ['--key', 'word', '--layout', 'discord', '--text', 'base62'],
          1,
          'ids.parquet: row 2: expected an integer from 0 to 2^64 - 1 in base62, got "no id"',
        ],
        [
          ['--key', 'word', '--text', 'ulid'],
          1,
          'ids.parquet: row 1: expected a ULID: 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7, got "ab"',
        ],
        [
          ['--key', 'fraction', '--layout', 'discord'],
          2,
          '--key: expected a column of integers or texts, got "fraction of type DOUBLE"',
        ],
        [['--key', 'id', '--layout', 'id:10,x:50'], 2, '--layout: expected fields other than id and date, got id'],
        [
          ['--key', 'id', '--layout', 'word:10,x:50'],
          2,
          /^--prefix: expected a new name, but there is a column "word"; --prefix id_ adds id_word instead$/,
        ],
        [['--key', 'id', '--layout', 'discord', '--json'], 2, '--format cannot be combined with Parquet'],
      ]),
    )('refuses %j', async (options, code, problem) => {
      const cwd = temporaryFolder();
      const ids = "[32767, 32768] as ids, [null, 1] as nothings, ['ab', 'no id'] as words";
      await writeParquet(
        join(cwd, 'ids.parquet'),
        `select unnest(ids) as id, unnest(nothings) as nothing, unnest(words) as word, 1.5::double as fraction from (select ${ids})`,
      );
      const run = await runHere(['decode', 'ids.parquet', ...options, '--out', 'o'], { cwd });
      const message = /^error: (.*)\n$/s.exec(run.stderr)?.[1];
      if (typeof problem === 'string') expect(message).toBe(problem);
      else expect(message).toMatch(problem);
      expect([run.code, existsSync(join(cwd, 'o')), readdirSync(cwd)]).toEqual([code, false, ['ids.parquet']]);
    });
  });
}
