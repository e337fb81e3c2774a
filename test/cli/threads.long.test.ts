import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';
import { smallDisk } from '../support/small-disk.js';

// What has threads is tested as it is shipped: a thread needs its script. Chunks of a few bytes: test/node/chunks.test.ts.

const folder = temporaryFolder(afterAll);
const at = (name: string) => join(folder, name);
const ROWS = 120_000;

/** Rows with quotes, line breaks and faults of all kinds, of about 100 bytes each. */
function* csvRows(): Generator<string> {
  yield 'id,name,"the ""note""",at\n';
  for (const [i, value] of randomU64s(ROWS).entries()) {
    const id = (value >> 12n) | 1n;
    const note = i % 3 === 0 ? `"said ""no"",\nand ${'went '.repeat(i % 9)}\r\n"` : `plain ${'text '.repeat(i % 7)}`;
    if (i % 5000 === 4999) yield ['a"b,1\n', 'x,"y"z,1,2\n', '1,2\n', '\n\n', `${id},"n, 2",,extra,5\n`][i % 5];
    yield `${id},user ${i},${note},2024-03-01T10:30:${String(i % 60).padStart(2, '0')}.500Z${i % 2 ? '\n' : '\r\n'}`;
  }
}

beforeAll(() => {
  const csv = [...csvRows()].join('');
  writeFileSync(at('rows.csv'), csv);
  writeFileSync(at('more.csv'), csv.slice(0, csv.length / 3).replace(/[^\n]*$/, ''));
  writeFileSync(at('rows.csv.gz'), gzipSync(csv, { level: 1 }));
  const ids = Array.from(randomU64s(5 * ROWS), (id, i) => (i % 90_000 === 77 ? 'no id\n' : `${id >> 1n}\n`)).join('');
  writeFileSync(at('ids.txt'), ids);
  const json = Array.from(randomU64s(2 * ROWS), (id, i) =>
    i % 50_000 === 9 ? '{"id":\n' : `{"id":"${id}","n":{"k":"${'v'.repeat(i % 60)}\\n"}}\n`,
  ).join('');
  writeFileSync(at('rows.ndjson'), json);
  const header = 'sequence\tshard\ttimestamp\n';
  const fields = Array.from(
    { length: 3 * ROWS },
    (_, i) => `${i % 4096}\t${i % 60_000 ? i % 1024 : 'x'}\t${1_700_000_000_000 + i}\n`,
  );
  writeFileSync(at('fields.tsv'), header + fields.join(''));
});

const SPLIT = ['--shards', '7', '--out-dir', 'out'];
const OUT = ['--out', 'out'];
const REJECTS = ['--rejects', 'rejects'];
const BY_NAME = ['--csv', '--key', 'name'];

/** Everything that a run leaves. */
async function outcome(args: readonly string[], threads: number, input?: string) {
  const cwd = temporaryFolder();
  const given = args.map((arg) => (existsSync(at(arg)) ? at(arg) : arg));
  const bytes = input === undefined ? [] : [readFileSync(at(input))];
  const { code, stderr, stdout } = await shardbits([...given, '--threads', String(threads)], { cwd, input: bytes });
  const files = readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, digestOf(readFileSync(join(entry.parentPath, entry.name)))] as const);
  return { code, stderr: stderr.replaceAll(folder, ''), stdout: digestOf(stdout), files: Object.fromEntries(files) };
}

function digestOf(bytes: Uint8Array): string {
  return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex')}`;
}

const COMMANDS: [name: string, args: string[], input?: string][] = [
  ['route of CSV, faults among it', ['route', 'rows.csv', ...BY_NAME, '--shards', '9', ...OUT, ...REJECTS]],
  ['route of two CSV files', ['route', 'rows.csv', 'more.csv', ...BY_NAME, '--shards', '9', ...OUT, ...REJECTS]],
  ['route of CSV, which ends at a fault', ['route', 'rows.csv', ...BY_NAME, '--shards', '9']],
  ['route of CSV into files', ['route', 'rows.csv', 'more.csv', ...BY_NAME, ...SPLIT, ...REJECTS]],
  ['route of ragged CSV into files', ['route', 'rows.csv', ...BY_NAME, '--ragged', ...SPLIT, ...REJECTS]],
  ['route of CSV into files, which ends at a fault', ['route', 'rows.csv', ...BY_NAME, ...SPLIT]],
  ['route of compressed CSV', ['route', 'rows.csv.gz', ...BY_NAME, ...SPLIT, ...REJECTS]],
  ['route of CSV from a pipe', ['route', ...BY_NAME, '--shards', '9', ...OUT, ...REJECTS], 'rows.csv'],
  ['route of compressed CSV from a pipe', ['route', ...BY_NAME, ...SPLIT, ...REJECTS], 'rows.csv.gz'],
  ['route of NDJSON', ['route', 'rows.ndjson', '--ndjson', '--key', 'id', '--shards', '9', ...OUT, ...REJECTS]],
  ['route of NDJSON into files', ['route', 'rows.ndjson', '--ndjson', '--key', 'n.k', ...SPLIT, ...REJECTS]],
  ['route of lines as a system does', ['route', 'ids.txt', '--as', 'kafka', ...SPLIT]],
  ['hash', ['hash', 'rows.csv', ...BY_NAME, ...OUT, ...REJECTS]],
  ['hash of lines, some of which are not ids', ['hash', 'ids.txt', '--keys', 'u64']],
  ['plan', ['plan', 'rows.ndjson', 'rows.ndjson', '--ndjson', '--key', 'id', '--from', '9', '--to', '10', '--json']],
  ['decode', ['decode', 'ids.txt', '--layout', 'snowflake', '--raw', ...OUT, ...REJECTS]],
  ['decode of records', ['decode', 'rows.csv', '--csv', '--key', 'id', '--layout', 'twitter', ...OUT, ...REJECTS]],
  ['decode, which ends at a fault', ['decode', 'ids.txt', '--layout', 'twitter', '--json']],
  ['encode', ['encode', 'fields.tsv', 'fields.tsv', '--layout', 'snowflake', ...OUT, ...REJECTS]],
  ['encode, which ends at a fault', ['encode', 'fields.tsv', '--layout', 'snowflake']],
];

describe('a command gives the same with one thread and with three', () => {
  it.each(COMMANDS.filter((_, i) => IS_WHOLE || i % 3 === 0))('%s', async (_, args, input) => {
    const one = await outcome(args, 1, input);
    const three = await outcome(args, 3, input);
    expect(three).toEqual(one);
    expect(one.code === 0 || /:\d+: .*expected/.test(one.stderr)).toBe(true);
  });
});

describe('several threads leave nothing', () => {
  const split = (out: string, ...more: string[]) => [
    at('rows.csv'),
    ...BY_NAME,
    '--shards',
    '7',
    '--out-dir',
    out,
    ...more,
  ];

  it('when the disk is full', async ({ skip }) => {
    const disk = smallDisk('6m');
    if (disk === undefined) return skip();
    const args = ['route', ...split(join(disk, 'out'), '--rejects', '/dev/null', '--threads', '3')];
    const { code, stderr } = await shardbits(args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${join(disk, 'out')}`)]);
    expect(stderr).toContain('no space left on device');
    expect(readdirSync(disk)).toEqual([]);
  });

  it('when Ctrl-C ends them', async () => {
    const cwd = temporaryFolder();
    // All files are there when the threads begin.
    const isWriting = () => readdirSync(cwd, { recursive: true }).length > 7;
    const files = Array<string>(9).fill(at('rows.csv'));
    const args = ['route', ...files, ...split('out', '--rejects', '/dev/null', '--threads', '3')];
    const { code } = await shardbits(args, { cwd, interruptWhen: isWriting });
    expect(code).toBe('SIGINT');
    expect(readdirSync(cwd)).toEqual([]);
  });
});
