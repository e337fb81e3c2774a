// The programs of docs/other-languages.md give the shards that a Router gives, and `shardbits vectors` has those that they
// give.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Router, type RouterOptions, xxh64 } from '../../src/index.js';
import { randomKeys } from '../partitioners/random-keys.js';
import { markdownPages } from '../support/markdown.js';
import { hasSystem } from '../support/programs.js';
import { runHere } from '../support/run-here.js';
import { IS_WHOLE } from '../support/scale.js';

const FOLDER = 'docs/other-languages';
const PROGRAMS = { python: 'route.py', go: 'route.go', java: 'Route.java', rust: 'route.rs', c: 'route.c' };
const IN_CI = ['python', 'c']; // what .ci/run installs; a release has all
const KEYS = IS_WHOLE ? 1_000_000 : 100_000;

type Kind = 'text' | 'u64';

const guide = markdownPages().find(({ path }) => path === `${FOLDER}.md`);
const blocks = guide?.blocks ?? [];

/** A program that was compiled as the guide says. */
class Program {
  readonly isHere: boolean;
  readonly #folder = mkdtempSync(join(tmpdir(), 'shardbits-languages-'));
  readonly #run: string;

  /** @param file its commands are in the block of text that names it: install, compile, run */
  constructor(
    private readonly language: string,
    file: string,
  ) {
    cpSync(FOLDER, this.#folder, { recursive: true });
    const found = blocks.find((block) => block.language === 'text' && block.text.includes(file));
    const [install = '', ...commands] = found?.text.trimEnd().split('\n') ?? [];
    this.#run = commands.pop()?.replace(/ 10 < keys\.txt$/, '') ?? '';
    const { status, stderr } = this.#bash(`set -e\n${[...commands, this.#run].join('\n')} < /dev/null`);
    const isRequired = Boolean(process.env.CI) && (IS_WHOLE || IN_CI.includes(language));
    this.isHere = hasSystem(language, install.replace('apt-get install ', ''), status === 0, stderr, isRequired);
  }

  route(keys: Iterable<string | bigint>, kind: Kind, { shards, strategy, seed, down }: Router): Uint32Array {
    const input = Array.from(keys, (key) => `${key}\n`).join('');
    const args = [shards, strategy, seed, kind, down.join()];
    const { status, stderr, stdout, error } = this.#bash(
      `${this.#run} ${args.map((arg) => `'${arg}'`).join(' ')}`,
      input,
    );
    if (status !== 0) throw error ?? new Error(`${this.language} ended with ${status}: ${stderr}`);
    return Uint32Array.from(stdout.trimEnd().split('\n'), Number);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #bash(script: string, input = '') {
    return spawnSync('bash', ['-c', script], { cwd: this.#folder, input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  }
}

/** Each line is a key. Lone surrogates are U+FFFD on the way to the program. */
const texts = (randomKeys('text', KEYS).keys as string[])
  .map((key) => key.replace(/[\r\n]/g, ' '))
  .with(7, 'x'.repeat(200_000));
const u64s = new BigUint64Array((randomKeys('int64', KEYS).keys as BigInt64Array).buffer);

const CASES: readonly [name: string, kind: Kind, options: RouterOptions, keys: number][] = [
  ['text by jump', 'text', { shards: 1000 }, KEYS],
  ['u64s by jump, most shards, highest seed', 'u64', { shards: 2 ** 31 - 1, seed: 2n ** 64n - 1n }, KEYS],
  ['u64s by jump, shards down', 'u64', { shards: 10, down: [3, 5, 9] }, KEYS / 10],
  ['text by fastrange, seed', 'text', { shards: 65536, strategy: 'fastrange', seed: 42n }, KEYS / 10],
  ['text by fastrange, most shards', 'text', { shards: 2 ** 31 - 1, strategy: 'fastrange' }, KEYS / 10],
  ['u64s by fastrange, shards down', 'u64', { shards: 12, strategy: 'fastrange', down: [0, 7] }, KEYS / 10],
  ['u64s by modulo, seed', 'u64', { shards: 1000, strategy: 'modulo', seed: 2n ** 63n }, KEYS / 10],
  // Most keys find no shard that is up in 256 outputs.
  ['nearly all shards down', 'text', { shards: 300, down: Array.from({ length: 298 }, (_, i) => i + 1) }, KEYS / 1000],
];

const programs = Object.entries(PROGRAMS).map(([language, file]) => ({
  language,
  file,
  program: new Program(language, file),
}));
afterAll(() => {
  for (const { program } of programs) program.remove();
});

it('every program is linked in the guide', () => {
  expect(Object.values(PROGRAMS).sort()).toEqual(readdirSync(FOLDER).sort());
  expect(Object.values(PROGRAMS).filter((file) => !guide?.text.includes(`](other-languages/${file})`))).toEqual([]);
});

it('the program in Python is in the guide as it is', () => {
  const shown = blocks.filter(({ language }) => language === 'python');
  const source = readFileSync(join(FOLDER, PROGRAMS.python), 'utf8');
  expect(shown).not.toEqual([]);
  expect(shown.filter(({ text }) => !source.includes(text))).toEqual([]);
});

describe.each(programs)('the program in $language', ({ program }) => {
  it.skipIf(!program.isHere).each(CASES)('routes as a Router does: %s', (_, kind, options, count) => {
    const router = new Router(options);
    const keys = kind === 'text' ? texts.slice(0, count) : u64s.slice(0, count);
    const theirs = program.route(keys, kind, router);
    const ours = router.routeMany(keys);
    expect(theirs.length).toBe(ours.length);
    const wrong = ours.findIndex((shard, row) => shard !== theirs[row]);
    expect({ key: keys[wrong], shard: theirs[wrong] }).toEqual({ key: keys[wrong], shard: ours[wrong] });
  });
});

const inC = programs.find(({ language }) => language === 'c')?.program;

it.skipIf(!inC?.isHere)('shardbits vectors has the shards that the program in C gives', async () => {
  const { stdout } = await runHere(['vectors']);
  const { vectors } = JSON.parse(stdout.toString());
  expect(vectors.length).toBe(100);
  for (const { key, keys, shard, hash, ...options } of vectors) {
    const router = Router.from(options);
    expect(inC?.route([key], keys, router), key).toEqual(Uint32Array.of(shard));
    expect(hash).toBe(
      xxh64(keys === 'u64' ? BigInt(key) : key, router.seed)
        .toString(16)
        .padStart(16, '0'),
    );
  }
});
