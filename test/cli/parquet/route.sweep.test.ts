import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { runHere } from '../../support/run-here.js';
import { expectEmptyFiles, keysTable } from './keys-table.js';
import { sweep } from './parts.js';
import { routeCases } from './route-cases.js';

let table: string;
beforeAll(async () => {
  table = await keysTable(temporaryFolder(afterAll));
});

routeCases(sweep, () => table);

describe('route of Parquet with --out-dir', () => {
  it('gives shards without rows an empty file, with all columns: 5,000 shards', async () => {
    const cwd = temporaryFolder();
    const args = ['route', table, '--key', 'text', '--shards', '5000', '--out-dir', 'out'];
    expect(await runHere(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    await expectEmptyFiles(join(cwd, 'out'), 5000, table);
  });
});
