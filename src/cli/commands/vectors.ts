import { type Key, Router, type RouterOptions, xxh64 } from '../../index.js';
import { printAll, withOutput } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { integerFrom } from '../options/usage.js';

const MAX_KEYS = 1_000_000; // 183 MB

const HEAD = {
  version: 1,
  description: 'Keys and their shards. See https://github.com/shardbits/shardbits/blob/main/docs/other-languages.md',
};

export function define(command: CliCommand): void {
  command
    .description(
      'Write keys with their hashes and shards as JSON, to check a program in another language. They are always the same ones. The first eleven find the usual mistakes.',
    )
    .option('--keys <n>', `the number of keys, 1 to ${MAX_KEYS}`, integerFrom(1, MAX_KEYS, `1 to ${MAX_KEYS}`), 100)
    .outOption()
    .examples('shardbits vectors --keys 11', 'shardbits vectors --keys 100000 --out vectors.json')
    .action(async ({ keys, out }: { keys: number; out?: string }) => {
      await withOutput(out, (print) => printAll(linesOf(keys), print));
    });
}

function* linesOf(keys: number): Generator<string> {
  yield `${JSON.stringify(HEAD).slice(0, -1)},"vectors":[\n`;
  for (let row = 0; row < keys; row++) yield `${JSON.stringify(vectorOf(row))}${row < keys - 1 ? ',' : ''}\n`;
  yield ']}\n';
}

type Case = readonly [key: string | bigint, options: RouterOptions];

/** 64-bit numbers are decimal text, because many readers of JSON would round them. */
function vectorOf(row: number): object {
  const [key, options] = FIRST[row] ?? madeUp(row);
  const router = new Router(options);
  const { seed, strategy, shards, down } = router.toJSON();
  return {
    key: String(key),
    keys: typeof key === 'bigint' ? 'u64' : 'text',
    seed,
    hash: xxh64(key, router.seed).toString(16).padStart(16, '0'),
    strategy,
    shards,
    down,
    shard: router.route(key),
  };
}

const MOST_SHARDS = 2 ** 31 - 1;
const BIG_SEED = 0xfedcba9876543210n; // negative, where integers are signed

/** docs/other-languages.md says which mistake each of them finds. */
const FIRST: readonly Case[] = [
  ['', { shards: 1000 }],
  ['a', { shards: 1000 }],
  ['Zürich 東京 😀', { shards: 1000 }],
  ['https://shop.example.com/orders/2024-03-01/1709289015500?page=1', { shards: 1000 }],
  [258n, { shards: 1000 }],
  ['user:42', { shards: 1000, seed: BIG_SEED }],
  ['user:3417793', { shards: MOST_SHARDS }],
  ['a', { shards: 1000, strategy: 'modulo' }],
  ['a', { shards: 1000, strategy: 'fastrange' }],
  ['user:42', { shards: 10, down: [2, 5] }],
  ['user:6', { shards: 300, down: Array.from({ length: 298 }, (_, shard) => shard + 1) }],
];

const CHARACTERS = [
  ...'The quick brown fox jumps over the lazy dog. 0123456789 {"a": [1, \'2\']} Zwölf Boxkämpfer jagen Viktor. ',
  ...'Съешь ещё этих мягких французских булок. いろはにほへと ちりぬるを 天地玄黃 😀🎉',
];
const SHARDS = [1, 2, 10, 1000, 65536, MOST_SHARDS];

/** Every combination of options comes up, and every length of up to 100 characters. */
function madeUp(row: number): Case {
  const random = (below: number, use: number): number => Number(xxh64(BigInt(row), BigInt(use)) % BigInt(below));
  const pick = <T>(values: readonly T[], use: number): T => values[random(values.length, use)] as T;

  const start = random(CHARACTERS.length, 0);
  const text = `${row}${[...CHARACTERS.slice(start), ...CHARACTERS].slice(0, row % 100).join('')}`;
  const key: Key = pick([text, text, xxh64(BigInt(row)) >> BigInt(random(64, 1))], 2);
  const options: RouterOptions = {
    shards: pick(SHARDS, 3),
    strategy: pick(['jump', 'fastrange', 'modulo'] as const, 4),
    seed: pick([0n, 42n, BIG_SEED], 5),
  };
  const usual = new Router(options).route(key);
  return [key, { ...options, down: options.shards > 1 ? pick([[], [usual]], 6) : [] }];
}
