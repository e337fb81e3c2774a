import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router, typedKey } from '../../src/index.js';
import { partitionerNamed } from '../../src/partitioners/index.js';
import { SampledRows } from '../../src/rows/operations/sample.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { kafka, linesOf, mixed, USERS } from './placed-users.js';

const foreign = mixed.flatMap((line, i) => (line === linesOf([USERS[i]], kafka)[0] ? [] : [i + 1]));

async function detected(args: readonly string[], input: string) {
  const { code, stdout, stderr } = await runHere(['detect', ...args], { input: [input] });
  expect(stderr).toBe('');
  return { code, text: stdout.toString() };
}

async function json(args: readonly string[], input: string) {
  const { code, text } = await detected([...args, '--json'], input);
  expect(text).toMatch(/^\{[^\n]*\}\n$/);
  return { code, ...JSON.parse(text) };
}

describe('detect', () => {
  it('says who placed most rows, who the others, and which these are', async () => {
    const { code, text } = await detected([], mixed.join(''));
    expect(code).toBe(0);
    const fit = 2000 - foreign.length;
    expect(text).toContain(
      `\nKafka's Java client, 12 partitions: ${fit.toLocaleString('en')} of 2,000 rows; ${foreign.length} rows were placed by something else, of which ${foreign.length} fit librdkafka's default, 12 partitions\nlines that do not fit: ${foreign.slice(0, 10).join(', ')}, …`,
    );
    const [title, first, options, also] = text.split('\n');
    expect(title).toMatch(/^agree +by chance +mapping$/);
    expect(first).toMatch(/^1,98\d +16[78] +Kafka's Java client, 12 partitions$/);
    expect(options).toMatch(/^ +route --as kafka --shards 12$/);
    expect(also).toMatch(/^ +or librdkafka's murmur2, 12 partitions$/);
  });

  it('--json has the same as data', async () => {
    const report = await json([], mixed.join(''));
    const verdict = {
      name: "Kafka's Java client, 12 partitions",
      options: '--as kafka --shards 12',
      agree: 2000 - foreign.length,
      byChance: expect.closeTo(2000 / 12, -1),
      also: ["librdkafka's murmur2, 12 partitions", '(murmur2 & 0x7fffffff) % 12'],
    };
    expect(report).toMatchObject({ code: 0, rows: 2000, shards: 12, verdict, foreign, foreignCount: foreign.length });
    expect(report.candidates[0]).toEqual(verdict);
    expect(report.candidates).toHaveLength(5);
    expect(report.needed).toBeLessThan(30);
    expect(report.candidates.some(({ options }: { options: unknown }) => options === null)).toBe(true);
  });

  it('reads records, and its own options give the same rows again', async () => {
    const users = USERS.slice(0, 300);
    const csv = `email,shard\n${users.map((key) => `"${key}",${new Router({ shards: 12 }).route(key)}\n`).join('')}`;
    const { code, verdict } = await json(['--csv', '--key', 'email'], csv);
    expect([code, verdict.options]).toEqual([0, '--shards 12']);
    const emails = csv.replaceAll(/,\d+$/gm, '').replace(',shard', '');
    const routed = await runHere(['route', '--csv', '--key', 'email', ...verdict.options.split(' ')], {
      input: [emails],
    });
    expect(routed.stdout.toString()).toBe(csv);
    const named = csv.replace('shard', 'bucket');
    expect(await json(['--csv', '--key', 'email', '--shard-column', 'bucket'], named)).toMatchObject({ verdict });
    const ndjson = users.map((key) => `{"p":{"shard":${kafka.route(key)}},"k":"${key}"}\n`).join('');
    const inJson = await json(['--ndjson', '--key', 'k', '--shard-column', 'p.shard'], ndjson);
    expect(inJson.verdict.options).toBe('--as kafka --shards 12');
    const tsv = users.map((key) => `${key}\t${kafka.route(key)}\n`).join('');
    const byNumber = await json(['--tsv', '--no-header', '--key', '1', '--shard-column', '2'], tsv);
    expect(byNumber.verdict.options).toBe('--as kafka --shards 12');
  });

  it('reads several files and counts rows through all of them', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.tsv'), mixed.slice(0, 500).join(''));
    writeFileSync(join(cwd, 'b.tsv'), mixed.slice(500).join(''));
    const { code, stdout } = await runHere(['detect', 'a.tsv', 'b.tsv', '--json'], { cwd });
    expect([code, JSON.parse(stdout.toString()).foreign]).toEqual([0, foreign]);
    const { stdout: text } = await runHere(['detect', 'a.tsv', 'b.tsv'], { cwd });
    const places = foreign.slice(0, 10).map((row) => (row > 500 ? `b.tsv:${row - 500}` : `a.tsv:${row}`));
    expect(text.toString()).toContain(`\nlines that do not fit: ${places.join(', ')}, …`);
  });

  it('counts rows that are refused, and names lines as they are in the file', async () => {
    const cwd = temporaryFolder();
    const rows = mixed.map((line) => line.trimEnd().split('\t'));
    const records = rows.map(([shard, key]) => `${key},${shard}\n`);
    writeFileSync(join(cwd, 'rows.csv'), `key,shard\n"a\nb",x\nc,y\n${records.join('')}`);
    const args = ['detect', 'rows.csv', '--csv', '--key', 'key', '--rejects', 'bad.txt'];
    const { stdout } = await runHere([...args, '--json'], { cwd });
    expect(JSON.parse(stdout.toString()).foreign).toEqual(foreign.map((row) => row + 2));
    const { stdout: text } = await runHere(args, { cwd });
    // After the header, and two records of which the first has two lines.
    const lines = foreign.slice(0, 10).map((row) => row + 4);
    expect(text.toString()).toContain(`\nlines that do not fit: ${lines.join(', ')}, …`);
  });

  it.each([
    ['no rows', [], '', 'there are no rows'],
    ['one shard', [], '0\ta\n0\tb\n', 'all rows are in one shard'],
    ['too few', [], mixed.slice(0, 8).join(''), /^8 different keys are too few; at least \d\d are needed$/],
    [
      'no mapping',
      [],
      USERS.map((key, i) => `${((i * i * 31) % 97) % 12}\t${key}\n`).join(''),
      'no known mapping puts most of the rows in their shards; if they are only those of some shards, give the number of shards',
    ],
  ])('exits with 1 and says why there is no verdict: %s', async (_, args, input, why) => {
    const { code, text } = await detected(args, input);
    expect(code).toBe(1);
    const reason = /^No verdict: (.*)\.$/m.exec(text)?.[1];
    expect(reason).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
    expect(await json(args, input)).toMatchObject({ code: 1, verdict: null, foreign: [], foreignCount: 0 });
  });

  it('names the right number of shards if a wrong one is given', async () => {
    const { code, text } = await detected(['--shards', '11'], mixed.join(''));
    expect(code).toBe(1);
    expect(text).toMatch(
      /\nNo verdict for 11 shards: 1,98\d of 2,000 rows fit Kafka's Java client, 12 partitions\.\n$/,
    );
  });

  it('tells that shards are numbered from 1', async () => {
    const input = USERS.map((user) => `${kafka.route(user) + 1}\t${user}\n`).join('');
    const { code, text } = await detected([], input);
    expect(code).toBe(0);
    expect(text).toMatch(
      /\nKafka's Java client, 12 partitions: 2,000 of 2,000 rows; shards are numbered from 1\nroute and audit number shards from 0: subtract 1 from these\n$/,
    );
    expect(await json([], input)).toMatchObject({ code: 0, first: 1, shards: 12, verdict: { agree: 2000 } });
    expect(await json([], mixed.join(''))).toMatchObject({ first: 0 });
  });

  it('names the line of a key that is not an integer like the others', async () => {
    const lines = USERS.map((_, i) => `${i % 7}\t${i}\n`);
    const input = lines.with(16, '3\tN/A\n').join('');
    const { code, text } = await detected([], input);
    expect(code).toBe(1);
    expect(text).toContain('; -:17 is "N/A", not an integer like the other 1,999: 1,999 of 1,999 rows fit ');
  });

  it.each([
    ['--csv', 'tenant,id,shard\n', (tenant: string, id: string, shard: number) => `${tenant},"${id}",${shard}\n`],
    [
      '--ndjson',
      '',
      (tenant: string, id: string, shard: number) => `${JSON.stringify({ tenant: Number(tenant), id, shard })}\n`,
    ],
  ])('reads keys of several columns in %s', async (format, header, line) => {
    const tenants = USERS.map((_, i) => String((i * i) % 97));
    const columns = [BigInt64Array.from(tenants, BigInt), USERS];
    const write = (shards: Uint32Array) =>
      header + USERS.map((user, row) => line(tenants[row], user, shards[row])).join('');
    const args = [format, '--key', 'tenant', '--key', 'id'];
    const shards = partitionerNamed('hive:2', { shards: 12, key: ['int64', 'text'] }).routeMany(columns);
    const { verdict } = await json(args, write(shards));
    expect(verdict).toMatchObject({ agree: 2000, options: '--as hive:2 --shards 12 --keys int64,text' });
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'rows'), write(shards));
    const audit = await runHere(['audit', 'rows', ...args, ...verdict.options.split(' ')], { cwd });
    expect([audit.code, audit.stderr]).toEqual([0, '']);
    const joined = tenants.map((tenant, row) => typedKey(tenant, USERS[row]));
    const routed = await json(args, write(new Router({ shards: 12 }).routeMany(joined)));
    expect(routed.verdict).toMatchObject({ agree: 2000, options: '--shards 12' });
  });

  it('names malformed rows, or writes them to another file', async () => {
    const bad = `${mixed.slice(0, 100).join('')}x\ta\n${mixed.slice(100).join('')}`;
    const refused = await runHere(['detect'], { input: [bad] });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'error: -:101: expected a shard, an integer from 0 to 2147483646, got "x"\n',
    ]);
    const cwd = temporaryFolder();
    const { code, stderr } = await runHere(['detect', '--rejects', 'bad.tsv'], { input: [bad], cwd });
    expect([code, stderr]).toEqual([0, '1 row rejected: see bad.tsv\n']);
  });
});

describe('the rows that detect keeps', () => {
  const encoded = (keys: readonly string[]) => {
    const bytes = keys.map((key) => Buffer.from(key));
    const ends = Uint32Array.from(
      bytes.map((_, i) => bytes.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0)),
    );
    const spans = { data: Buffer.concat(bytes), starts: Uint32Array.of(0, ...ends.slice(0, -1)), ends };
    return { keys: spans, lineOf: (row: number) => 10 * row };
  };
  const textsOf = ({ keys, shards, numbers }: SampledRows['kept']) =>
    Array.from(numbers, (number, i) => [
      number,
      Buffer.from(keys.data.subarray(keys.offsets[i], keys.offsets[i + 1])).toString(),
      shards[i],
    ]);

  it('are all, as long as they fit', () => {
    const rows = new SampledRows(1000);
    rows.add(encoded(['a', '', 'bc']), Uint32Array.of(1, 2, 3), 'a');
    rows.add(encoded(['d']), Uint32Array.of(4), 'b');
    expect(textsOf(rows.kept)).toEqual([
      [1, 'a', 1],
      [2, '', 2],
      [3, 'bc', 3],
      [4, 'd', 4],
    ]);
    const places = [0, 1, 2, 3].map((row) => Object.values(rows.kept.placeOf(row)));
    expect(places).toEqual([
      ['a', 0],
      ['a', 10],
      ['a', 20],
      ['b', 0],
    ]);
  });

  it.each([
    [100, 1e9],
    [1e9, 1000],
  ])('are a part from everywhere, at most %d rows or %d bytes', (maxRows, maxBytes) => {
    const rows = new SampledRows(maxRows, maxBytes);
    const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
    for (let from = 0; from < 10_000; from += 100) {
      rows.add(
        encoded(keys),
        Uint32Array.from(keys, (_, i) => from + i),
        'a',
      );
    }
    const kept = textsOf(rows.kept);
    expect(rows.rows).toBe(10_000);
    expect(kept.length).toBeGreaterThan(40);
    expect(kept.length).toBeLessThanOrEqual(Math.min(maxRows, maxBytes / 5));
    for (const [number, key, shard] of kept)
      expect([key, shard]).toEqual([`key ${(Number(number) - 1) % 100}`, Number(number) - 1]);
    const parts = [0, 1, 2, 3].map((part) => kept.filter(([number]) => Math.ceil(Number(number) / 2500) - 1 === part));
    for (const part of parts) expect(part.length).toBeGreaterThan(kept.length / 10);
  });

  it('are one at least, however long its key is', () => {
    const rows = new SampledRows(10, 3);
    rows.add(encoded(['abcdef']), Uint32Array.of(1), 'a');
    expect(textsOf(rows.kept)).toEqual([[1, 'abcdef', 1]]);
  });
});
