// A command of each script that threads have. All commands, with more rows: threads.long.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';

const file = join(temporaryFolder(afterAll), 'ids.csv');

// 9 MB: more than one thread reads alone.
beforeAll(() => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `"${'a\n'.repeat(40)}",${i % 50_000 === 49_999 ? 'x' : i}\n`);
  writeFileSync(file, `note,id\n${rows.join('')}`);
});

it.each([
  [['route', '--shards', '9', '--keys', 'u64', '--format', 'shard']],
  [['decode', '--layout', 'snowflake']],
])('%j gives the same with one thread and with three', async ([command, ...options]) => {
  const args = [command, file, '--csv', '--key', 'id', ...options, '--rejects', '/dev/null'];
  const [one, three] = await Promise.all([1, 3].map((threads) => shardbits([...args, '--threads', `${threads}`])));
  expect([one.code, one.stderr]).toEqual([0, '2 rows rejected: see /dev/null\n']);
  expect([three.code, three.stderr, three.stdout.equals(one.stdout)]).toEqual([0, one.stderr, true]);
});
