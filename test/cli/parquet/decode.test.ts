import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Layout, layouts } from '../../../src/index.js';
import { temporaryFolder } from '../../support/cli.js';
import { differentRows, duckdb, parquetTypes, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { decodeCases } from './decode-cases.js';
import { comparable, expectSameValues, ndjson } from './decoded.js';
import { quick } from './parts.js';

decodeCases(quick);

describe('decode of Parquet gives the values of decode', () => {
  it.each<[string, Layout, string[]?]>([
    ['snowflake', layouts.snowflake],
    ['uidGenerator', layouts.uidGenerator],
    ['clientEntity', layouts.clientEntity],
    ['instagram', layouts.instagram, ['--raw']],
  ])('of the layout %s', expectSameValues);

  it('of ids that are wider than 64 bits', async () => {
    const cwd = temporaryFolder();
    const ids = {
      uuid: ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'],
      ulid: ['01ARYZ6S41TSV4RRFFQ69G5FAV', '01HZZZZZZZZZZZZZZZZZZZZZZZ'],
    };
    for (const [kind, texts] of Object.entries(ids)) {
      ndjson(join(cwd, 'ids.ndjson'), texts);
      const typed = kind === 'uuid' ? 'select key::uuid as key' : 'select key';
      await writeParquet(join(cwd, 'ids.parquet'), `${typed} from '${join(cwd, 'ids.ndjson')}'`);
      await runHere(['decode', 'ids.ndjson', '--ndjson', '--key', 'key', '--text', kind, '--out', 'o'], { cwd });
      const expected = readFileSync(join(cwd, 'o'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      for (const text of [['--text', kind], []]) {
        const args = ['decode', 'ids.parquet', '--key', 'key', ...text, '--out', 'out.parquet'];
        const { code, stderr } = await runHere(args, { cwd });
        expect([code, stderr]).toEqual([0, text.length > 0 ? '' : `guessed ids: ${kind}\n`]);
        expect((await duckdb(`from '${join(cwd, 'out.parquet')}'`)).map(comparable)).toEqual(expected.map(comparable));
      }
    }
  });
});

describe('decode of Parquet', () => {
  it('adds a column of the fitting type for each field', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'ids.parquet'), "select 1116551844710330458 as id, 'x' as note");
    await runHere(['decode', 'ids.parquet', '--key', 'id', '--layout', 'discord', '--out', 'o.parquet'], { cwd });
    expect(await parquetTypes(join(cwd, 'o.parquet'))).toEqual({
      id: 'BIGINT',
      note: 'VARCHAR',
      timestamp: 'BIGINT',
      worker: 'UINTEGER',
      process: 'UINTEGER',
      increment: 'UINTEGER',
      date: 'TIMESTAMP',
    });
    expect(await duckdb(`select timestamp, date from '${join(cwd, 'o.parquet')}'`)).toEqual([
      { timestamp: '1686277104309', date: '2023-06-09 02:18:24.309' },
    ]);
  });

  it('reads negative integers as the ids of the same bits', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'ids.parquet'), 'select -1::bigint as id');
    const args = ['decode', 'ids.parquet', '--key', 'id', '--layout', 'clientEntity:1,local:63'];
    await runHere([...args, '--out', 'o.parquet'], { cwd });
    expect(await duckdb(`from '${join(cwd, 'o.parquet')}'`)).toEqual([
      { id: '-1', clientEntity: 1, local: String(2n ** 63n - 1n) },
    ]);
  });

  it('guesses the layout from the first ids, and from names and dates beside them', async () => {
    const cwd = temporaryFolder();
    const ids = Array.from({ length: 20 }, (_, i) =>
      layouts.discord.pack({
        timestamp: 1_690_000_000_000 + i * 60_000,
        worker: i,
        process: 1,
        increment: i,
      }),
    );
    ndjson(join(cwd, 'ids.ndjson'), ids, 'discord_id');
    await writeParquet(
      join(cwd, 'ids.parquet'),
      `select discord_id::bigint as discord_id from '${join(cwd, 'ids.ndjson')}'`,
    );
    const { code, stderr } = await runHere(['decode', 'ids.parquet', '--key', 'discord_id', '--out', 'o'], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^guessed layout: discord/)]);
  });

  it('adds no column if the ids are not of a known service', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'n.parquet'), 'select i as id, -i as n from range(20) r(i)');
    const { code, stderr } = await runHere(['decode', 'n.parquet', '--key', 'id', '--out', 'o.parquet'], { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^guessed layout: none; perhaps a number that counts up/),
    ]);
    expect(await differentRows(`'${cwd}/n.parquet'`, `'${cwd}/o.parquet'`)).toBe(0);
  });
});
