import { expect, it } from 'vitest';
import { systems } from '../../src/partitioners/index.js';
import { runHere } from '../support/run-here.js';

const KEYS = Array.from({ length: 50 }, (_, i) => `${i}\n`).join('');
const flagOf = (count: string) => `--${count.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const VARIANTS = Object.values(systems).flatMap(({ word, system, count }) =>
  system === 'cassandra' || count === undefined ? [] : [[word, flagOf(count)] as const],
);

async function output(args: readonly string[], text = KEYS) {
  const { code, stdout, stderr } = await runHere([...args], { input: [text] });
  return { code, stdout: stdout.toString(), stderr };
}

it.each(VARIANTS)('--as %s has its shards in %s, too', async (word, flag) => {
  const routed = await output(['route', '--as', word, '--shards', '12']);
  expect(routed).toMatchObject({ code: 0, stderr: '' });
  expect(await output(['route', '--as', word, flag, '12'])).toEqual(routed);
  const fit = { code: 0, stdout: '{"rows":50,"fit":50,"misplaced":0,"pairs":[]}\n', stderr: '' };
  expect(await output(['audit', '--as', word, flag, '12', '--json'], routed.stdout)).toEqual(fit);
  const wrong = {
    code: 2,
    stderr: expect.stringMatching(`^error: ${flag}: expected an integer from 1 to \\d+, got 0\n$`),
  };
  expect(await output(['route', '--as', word, flag, '0'])).toMatchObject(wrong);
});

it('--shards of SQL, too', async () => {
  const sql = ['sql', '--dialect', 'clickhouse', '--as', 'kafka'];
  const written = await output([...sql, '--shards', '12'], '');
  expect(written.code).toBe(0);
  expect(await output([...sql, '--partitions', '12'], '')).toEqual(written);
  expect(await output([...sql, '--buckets', '12'], '')).toMatchObject({ code: 2 });
});

const IN_WORDS = 'kafka, rdkafka, spark, nats, pulsar, mysql or eventhubs';

it.each<[args: string, stderr: string]>([
  ['route --partitions 12', `--partitions requires --as ${IN_WORDS}`],
  ['audit --partitions 12 --shards 12', `--partitions requires --as ${IN_WORDS}`],
  ['route --map map.json --partitions 12', `--partitions requires --as ${IN_WORDS}`],
  ['route --max-parallelism 12', '--max-parallelism requires --as flink'],
  ['sql --dialect clickhouse --vbuckets 12', '--vbuckets requires --as couchbase'],
  ['route --as kafka --buckets 12', '--buckets cannot be combined with --as kafka, which has --partitions or --shards'],
  [
    'route --as kafka:unsigned --partitions 12 --modulus 12',
    '--modulus cannot be combined with --as kafka, which has --partitions or --shards',
  ],
  ['audit --as citus --modulus 12', '--modulus cannot be combined with --as citus, which has --shards'],
  ['route --as redis --buckets 16384', '--buckets cannot be combined with --as redis, which always has 16384 slots'],
  ['route --as ketama --buckets 3', '--buckets cannot be combined with --as ketama, which has --servers'],
  ['route --as kafka --partitions 12 --shards 12', '--shards cannot be combined with --partitions'],
  ['audit --as postgres --shards 8 --modulus 8', '--shards cannot be combined with --modulus'],
  ['route --as kafka --partitions ten', '--partitions: expected a whole number, got "ten"'],
])('refuses %s', async (args, stderr) => {
  expect(await output(args.split(' '))).toEqual({ code: 2, stdout: '', stderr: `error: ${stderr}\n` });
});

it.each(['route', 'audit', 'sql'])('help of %s has a line for each word', async (command) => {
  const { stdout } = await output([command, '--help']);
  const text = stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain(` --partitions <n> the same as --shards, with --as ${IN_WORDS} `);
  for (const [, flag] of VARIANTS) expect(text).toContain(` ${flag} <n> `);
});

it('plan has --from and --to alone', async () => {
  const run = await output(['plan', '--as', 'kafka', '--from', '12', '--partitions', '24']);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--partitions'") });
});
