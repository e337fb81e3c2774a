import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { notTested } from '../support/not-tested.js';
import { describeWith } from '../support/programs.js';
import { randomU64s } from '../support/random.js';
import { swept } from '../support/scale.js';
import { SEED } from '../support/seed.js';

type Format = 'csv' | 'ndjson';

const ROWS = swept(4_000_000);
const KEYS: Record<Format, string> = { csv: 'email', ndjson: 'user.email' };
/** Of memory, at 64 shards: 24 MB for each thread. */
const MAX_MB = 120 + 24 * availableParallelism();

const HEADER = 'id,"name, as ""given""",email,"note\r\n(or none)"\r\n';
const PEOPLE = ['ann', 'bo', 'christopher', 'dörte', 'eve.long-surname', '山田', 'f'];
const TEXT = 'Lorem ipsum dolor sit amet; consectetur adipiscing elit. Sed do eiusmod tempor incididunt ut labore.';
/** In quotes, a line break among them: none ends the record that it is in. */
const BROKEN = [
  'a line\nand the next, and more',
  'a line\r\nand the next, and more\r\n',
  '\n7,decoy,decoy@example.com,none\n',
  '"" said,\r\n"",bo,bo@example.com,""',
  '\r\n\r\n\n\n',
];
/** As CSV has them: some are the same key in other words. */
const CSV_KEYS: ((key: string) => string)[] = [
  (key) => `"${key}"`,
  (key) => `"the ""great"" <${key}>"`,
  (key) => `"${key}, and others"`,
  (key) => `${key.length % 2 === 0 ? '' : '""'}`,
  (key) => `Zoë ${key.replace('.', '.ü')}`,
  (key) => `${key.repeat(4)}`,
];
/** As JSON has them: likewise. */
const JSON_KEYS: ((key: string) => string)[] = [
  (key) => `"\\u0065${key}"`,
  (key) => `"caf\\u00e9 ${key} \\u00C9"`,
  (key) => `"the \\"great\\" <${key}> \\\\ \\/"`,
  (key) => `"${key} \\ud83d\\ude00\\n\\t\\r\\b\\f"`,
  (key) => `"Zoë 😀 ${key}"`,
  (key) => `"${key.repeat(4)}"`,
  (key) => `"\\u20ac\\u0000${key}"`,
  (key) => ['12345.50', '-1e3', 'true', 'false', '""'][key.length % 5],
];
/** Objects with one value at user.email, and much that looks like it. */
const JSON_SHAPES: ((id: number, key: string, note: string) => string)[] = [
  (id, key, note) => `{"user":{"email":${key},"id":${id}},"note":"${note}"}`,
  (id, key, note) => ` { "id" : ${id} ,\t"note" : "${note}" , "user" : { "email" : ${key} } } `,
  (id, key, note) =>
    `{"email":"decoy","user.email":"decoy","id":[${id},{"email":2}],"user":{"email":${key}},"n":"${note}"}`,
  (id, key) => `{"id":${id},"a":{"user":{"email":"decoy"}},"\\u0075ser":{"emai\\u006c":${key}}}`,
  (id, key, note) =>
    `{"id":${id},"b":"\\"user\\":{\\"email\\":1}","user":{"boss":{"email":null},"email":${key}},"n":"${note}"}`,
];

/** Records whose first is the row-th; of those of CSV about a tenth have line breaks in quotes. */
function recordsFrom(row: number, count: number, format: Format): string {
  const random = new Uint32Array(randomU64s(count, SEED + row).buffer);
  let text = '';
  for (let i = 0; i < count; i++) {
    const [a, b] = [random[2 * i], random[2 * i + 1]];
    // A sixteenth of the rows have one of 64 keys.
    const key = `${PEOPLE[a % 7]}.${(b % 16 === 0 ? (b >>> 4) % 64 : b).toString(36)}@example.com`;
    text += (format === 'csv' ? csvRecord : jsonRecord)(row + i, key, a, b);
    text += (a >>> 13) % 8 === 0 ? '\r\n' : '\n';
  }
  return text;
}

function csvRecord(id: number, key: string, a: number, b: number): string {
  const name = PEOPLE[(b >>> 8) % 7];
  const field = CSV_KEYS[(a >>> 8) % 24]?.(key) ?? key;
  const text = TEXT.slice(23 + ((b >>> 12) % 64));
  if (id % 150_000 === 149_999)
    return `${id},${name},${field},"${'long ""\n'.repeat(id % 300_000 < 150_000 ? 20_000 : 40_000)}"`;
  if (b % 10 > 0) return `${id},${name},${field},${b % 3 === 0 ? `"${text}, ""etc."""` : text}`;
  const broken = BROKEN[(a >>> 16) % 5];
  if (a % 5 > 1) return `${id},${name},${field},"${text}${broken}"`;
  return a % 5 === 0 ? `${id},"${broken}",${field},` : `${id},${name},"${key}${broken}",${text}`;
}

function jsonRecord(id: number, key: string, a: number, b: number): string {
  const value = JSON_KEYS[(a >>> 8) % 24]?.(key) ?? `"${key}"`;
  const note = id % 150_000 === 149_999 ? 'long \\n'.repeat(40_000) : TEXT.slice(70 + ((b >>> 12) % 28));
  const shape = JSON_SHAPES[(b >>> 8) % 15] ?? JSON_SHAPES[0];
  return shape(id, value, b % 10 === 0 ? `${note}\\r\\n` : note);
}

/** A file of so many records; the last of a table has no line end. */
function writeRecords(path: string, format: Format, rows: number): void {
  const file = openSync(path, 'w');
  if (format === 'csv') writeSync(file, HEADER);
  for (let row = 0, count = 0; row < rows; row += count) {
    count = Math.min(rows - row, 10_000);
    const text = recordsFrom(row, count, format);
    writeSync(file, row + count === rows && format === 'csv' ? text.trimEnd() : text);
  }
  closeSync(file);
}

/** The process says at its end how much memory it has had at most. */
const SAYS_MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync } from 'node:fs';
  const status = '/proc/self/status';
  process.on('exit', () => {
    if (existsSync(status)) console.error(/VmHWM:.*/.exec(readFileSync(status, 'utf8'))[0]);
  });`)}`;

/** Kills itself instead of its k-th change of the file system. */
const killsItselfAt = (k: number) =>
  `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let count = 0;
  for (const name of ['mkdirSync', 'appendFileSync', 'writeFileSync', 'renameSync']) {
    const call = fs[name];
    fs[name] = (...args) => {
      if (count++ === ${k}) process.kill(process.pid, 'SIGKILL');
      return call(...args);
    };
  }
  syncBuiltinESMExports();`)}`;

const commandLine = (input: string, format: Format, shards: number, directory: string) => [
  ...['route', input, `--${format}`, '--key', KEYS[format], '--shards', String(shards), '--out-dir', directory],
];

describeWith('cc', '--version')('an independent program finds every record in its file, and nothing else', () => {
  const folder = join(tmpdir(), `shardbits-${randomUUID()}`);
  const checker = join(folder, 'partition-check');
  beforeAll(() => {
    mkdirSync(folder);
    const compiled = spawnSync('cc', ['-std=c11', '-O2', '-o', checker, 'test/cli/partition-check.c']);
    expect(compiled.stderr.toString()).toBe('');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What is wrong with a directory; nothing, or the rows and bytes of its files. */
  const check = (input: string, format: Format, shards: number, directory: string) => {
    const args = [format, KEYS[format], input, directory, String(shards)];
    const { stdout, stderr, status } = spawnSync(checker, args, { encoding: 'utf8' });
    const files = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ').map(Number));
    return { status, wrong: stderr, files: files as [rows: number, bytes: number][] };
  };

  /** Expects a directory to have the records, and a manifest that says how many. */
  const expectComplete = (input: string, format: Format, shards: number, directory: string, total: number) => {
    const { files: found, ...outcome } = check(input, format, shards, directory);
    expect(outcome).toEqual({ status: 0, wrong: '' });
    const digits = String(shards - 1).length;
    const files = found.map(([rows, bytes], shard) => {
      return { name: `${String(shard).padStart(digits, '0')}.${format}`, rows, bytes };
    });
    expect(readdirSync(directory).sort()).toEqual([...files.map(({ name }) => name), 'manifest.json']);
    const { options, ...manifest } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    expect(manifest).toEqual({ rows: total, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files });
    expect(options).toMatchObject({ router: { shards }, records: { format, key: [KEYS[format]] } });
  };

  describe.each<Format>(['csv', 'ndjson'])(`in ${ROWS} rows of %s`, (format) => {
    const input = join(folder, `input.${format}`);
    beforeAll(() => writeRecords(input, format, ROWS));
    afterAll(() => rmSync(input));

    it.each([64, 1024])('to %i files', async (shards) => {
      const directory = join(temporaryFolder(), 'shards');
      const node = ['--import', SAYS_MEMORY];
      const { code, stderr } = await shardbits(commandLine(input, format, shards, directory), { node });
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^(VmHWM:.*\n)?$/)]);
      expectComplete(input, format, shards, directory, ROWS);
      const mb = Number(/\d+/.exec(stderr)?.[0] ?? 0) / 1024;
      console.log(`${statSync(input).size / 1e6} MB of ${format} to ${shards} files: ${mb} MB of memory`);
      if (stderr === '') notTested('the memory of a process, which only Linux says');
      else if (shards === 64) expect(mb).toBeLessThan(MAX_MB);
    });

    // NDJSON takes the same way to its files.
    it.runIf(format === 'csv')(
      'killed, it leaves nothing under the final name, and no trouble to the next',
      async () => {
        const parent = temporaryFolder();
        const directory = join(parent, 'shards');
        const sizeOf = (path: string) =>
          readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
        const size = statSync(input).size;
        const left: string[] = [];
        for (const [shards, share] of [
          [64, 0],
          [64, 0.2],
          [64, 0.4],
          [1024, 0.1],
          [1024, 0.3],
        ] as const) {
          const child = spawn(process.execPath, ['dist/cli.js', ...commandLine(input, format, shards, directory)]);
          const ended = once(child, 'exit');
          const started = () => readdirSync(parent).find((name) => !left.includes(name));
          while (started() === undefined && child.exitCode === null) await setTimeout(1);
          const name = started() as string;
          while (existsSync(join(parent, name)) && sizeOf(join(parent, name)) < share * size) await setTimeout(1);
          child.kill('SIGKILL');
          expect([shards, share, ...(await ended)]).toEqual([shards, share, null, 'SIGKILL']);
          left.push(name);
          expect(readdirSync(parent).sort()).toEqual([...left].sort());
          expect(name).toMatch(/^shards\..+\.tmp$/);
        }
        const { code } = await shardbits(commandLine(input, format, 64, directory));
        expect(code).toBe(0);
        expectComplete(input, format, 64, directory, ROWS);
        expect(readdirSync(parent).sort()).toEqual(['shards', ...left].sort());
      },
      120_000,
    );
  });

  it.each<Format>([
    'csv',
    'ndjson',
  ])('killed before any change of the file system, it leaves all or nothing: %s', async (format) => {
    const parent = temporaryFolder();
    const input = join(temporaryFolder(), 'input');
    writeRecords(input, format, 2000);
    const directory = join(parent, 'shards');
    const run = (k: number) =>
      shardbits(commandLine(input, format, 3, directory), { node: ['--import', killsItselfAt(k)] });
    let changes = 0;
    for (; (await run(changes)).code === 'SIGKILL'; changes++) expect(existsSync(directory)).toBe(false);
    expect(changes).toBeGreaterThan(5); // the directories, the files, the manifest, the name
    expectComplete(input, format, 3, directory, 2000);
  });

  describe('and it would find a record that is', () => {
    const input = join(folder, 'few.csv');
    const whole = join(folder, 'few');
    beforeAll(async () => {
      writeRecords(input, 'csv', 2000);
      await shardbits(commandLine(input, 'csv', 3, whole));
      expectComplete(input, 'csv', 3, whole, 2000);
    });

    /** The first record after the header, and all others. */
    const parts = (path: string) => {
      const text = readFileSync(path, 'utf8').slice(HEADER.length);
      const [first] = /^(?:[^"\n]|"[^"]*")*\n/.exec(text) as RegExpExecArray;
      return [first, text.slice(first.length)] as const;
    };

    it.each<[string, (path: string, other: string) => void]>([
      ['missing', (path) => writeFileSync(path, HEADER + parts(path)[1])],
      ['there twice', (path) => writeFileSync(path, HEADER + parts(path)[0] + parts(path).join(''))],
      ['there twice, at the end', (path) => appendFileSync(path, parts(path)[0])],
      ['too late', (path) => writeFileSync(path, HEADER + parts(path)[1] + parts(path)[0])],
      [
        'with another line end',
        (path) => {
          const [first, others] = parts(path);
          writeFileSync(path, HEADER + first.replace(/\r?\n$/, (end) => (end === '\n' ? '\r\n' : '\n')) + others);
        },
      ],
      ['changed in a byte', (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('labore', 'labora'))],
      ['cut off', (path) => writeFileSync(path, readFileSync(path).subarray(0, -1))],
      ['the header, missing', (path) => writeFileSync(path, parts(path).join(''))],
      [
        'in the file of another shard',
        (path, other) => {
          appendFileSync(other, parts(path)[0]);
          writeFileSync(path, HEADER + parts(path)[1]);
        },
      ],
    ])('%s', (_, damage) => {
      const copy = join(temporaryFolder(), 'copy');
      cpSync(whole, copy, { recursive: true });
      damage(join(copy, '1.csv'), join(copy, '2.csv'));
      const { status, wrong } = check(input, 'csv', 3, copy);
      expect([status, wrong]).toEqual([1, expect.stringMatching(/not the next one of shard|more than its|no header/)]);
    });
  });
});
