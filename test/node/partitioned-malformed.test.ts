import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wasm } from '../../src/kernels/index.js';
import {
  planLines,
  type RecordFormat,
  type RejectedLine,
  routeFile,
  routeLines,
  routeToDirectory,
} from '../../src/node/index.js';
import { type Partitioner, partitioner } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { all } from '../support/streams.js';
import { byInt32, byInt64, byUuid, file, linesOf, routed, streamed } from './partition-samples.js';

const MALFORMED: readonly (readonly [
  kind: string,
  by: Partitioner,
  good: string,
  bad: readonly string[],
  expected: string,
])[] = [
  [
    'int32',
    byInt32,
    '-2147483648',
    ['', '-', '+1', '1.0', ' 1', '1 ', '0x1', '1e3', '--1', '2147483648', '-2147483649', '99999999999999999999', 'é'],
    'a decimal integer from -2^31 to 2^31 - 1',
  ],
  [
    'int64',
    byInt64,
    '-9223372036854775808',
    [
      '',
      '-',
      '1n',
      '1_0',
      '-9223372036854775809',
      '9223372036854775808',
      '18446744073709551615',
      '-99999999999999999999',
    ],
    'a decimal integer from -2^63 to 2^63 - 1',
  ],
  [
    'uuid',
    byUuid,
    'F79C3e09-677c-4bbd-a479-3f349cb785e7',
    [
      '',
      'x',
      'f79c3e09677c4bbda4793f349cb785e7',
      '{f79c3e09-677c-4bbd-a479-3f349cb785e}',
      'g79c3e09-677c-4bbd-a479-3f349cb785e7',
    ],
    'a UUID such as f79c3e09-677c-4bbd-a479-3f349cb785e7',
  ],
];

onBothBackends('a malformed key', (kernels) => {
  it.each(MALFORMED)('is named with its file and line: %s', async (_, router, good, wrong, expected) => {
    for (const [i, got] of wrong.entries()) {
      const before = i === 1 ? (kernels === wasm ? 17_000 : 100) : 2; // in another batch
      const path = file(linesOf([...Array(before).fill(good), got, good]));
      const folder = temporaryFolder();
      const refused = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE', file: path, line: before + 1, got };
      const running = routeFile(path, { router, out: join(folder, 'out') });
      await expect(running).rejects.toMatchObject({ ...refused, expected: expect.stringContaining(expected) });
      await expect(planLines(path, router, router)).rejects.toMatchObject(refused);
      expect(readdirSync(folder)).toEqual([]);
      if (i !== 1) continue;
      const toDirectory = routeToDirectory(path, { router, directory: join(folder, 'dir') });
      await expect(toDirectory).rejects.toMatchObject(refused);
      await expect(all(routeLines(path, router))).rejects.toMatchObject(refused);
      await expect(streamed(readFileSync(path), router)).rejects.toMatchObject({ ...refused, file: undefined });
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it.each(MALFORMED)('goes to onReject, and the rest goes on: %s', async (_, router, good, wrong) => {
    const shard = linesOf(await streamed(good, router));
    const rejected: string[] = [];
    const onReject = async ({ line, bytes }: RejectedLine) => void rejected.push(`${line} ${Buffer.from(bytes)}`);
    const lines = wrong.flatMap((bad) => [good, bad]);
    const shards = await routed(`${lines.join('\n')}\n`, { router, format: 'shard', onReject, threads: 2 });
    expect(shards.toString()).toBe(shard.repeat(wrong.length));
    expect(rejected).toEqual(wrong.map((bad, i) => `${2 * i + 2} ${bad}`));
  });

  it('in a record is named with the line that the record starts in', async () => {
    const path = file('id,note\n1,"\n"\nx,"\n"\n2,\n');
    const rows: RecordFormat = { format: 'csv', key: 'id' };
    const message = `${path}:4: expected a decimal integer from -2^63 to 2^63 - 1, got "x"`;
    await expect(routeFile(path, { router: byInt64, records: rows, out: '/dev/null' })).rejects.toMatchObject({
      message,
      line: 4,
    });
    const rejected: string[] = [];
    const onReject = ({ bytes }: RejectedLine) => void rejected.push(Buffer.from(bytes).toString());
    const written = await routed(readFileSync(path), { router: byInt64, records: rows, onReject });
    const [one, two] = byInt64.routeMany(BigInt64Array.of(1n, 2n));
    expect([written.toString(), rejected]).toEqual([`id,note,shard\n1,"\n",${one}\n2,,${two}\n`, ['x,"\n"']]);
  });

  it('is not UTF-8 where UTF-16 is hashed', async () => {
    const path = file(Buffer.concat([Buffer.from('é\n'), Buffer.of(0xff, 0x0a)]));
    for (const router of [partitioner('elasticsearch', { shards: 5 }), partitioner('flink', { maxParallelism: 128 })]) {
      const refused = { name: 'RangeError', file: path, line: 2, expected: 'text in UTF-8' };
      await expect(routeFile(path, { router, out: '/dev/null' })).rejects.toMatchObject(refused);
    }
  });

  it('has 16 characters and is not a UUID', async () => {
    const path = file('sixteen letters!\n');
    await expect(routeFile(path, { router: byUuid, out: '/dev/null' })).rejects.toMatchObject({ file: path, line: 1 });
  });
});
