import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite, hasSqlite } from '../support/sqlite.js';

const STORE = 'ids.db';

const lines = (stdout: Buffer) => stdout.toString().split('\n').slice(0, -1);

describeWithSqlite('intern', () => {
  it('writes one id for each string, and turns ids back into strings', async () => {
    const store = join(temporaryFolder(), STORE);
    const keys = Array.from({ length: 30_000 }, (_, i) => `key ${i % 20_000} größe`);
    const input = `${keys.join('\n')}\n`;
    const first = await shardbits(['intern', '--store', store], { input: [input] });
    expect([first.code, first.stderr]).toEqual([0, '']);
    const ids = lines(first.stdout);
    expect([ids.length, new Set(ids).size]).toEqual([30_000, 20_000]);
    const again = await runHere(['intern', '--store', store], { input: [input] });
    expect(again.stdout.equals(first.stdout)).toBe(true);
    const back = await runHere(['intern', '--store', store, '--resolve'], { input: [first.stdout] });
    expect([back.stderr, back.stdout.toString()]).toEqual(['', input]);
  });

  it('keeps ids in a file of the engine that its name says', async () => {
    const store = join(temporaryFolder(), STORE);
    await runHere(['intern', '--store', store], { input: ['a\n'] });
    const isSqlite = readFileSync(store).subarray(0, 15).toString() === 'SQLite format 3';
    expect(isSqlite).toBe(true);
  });

  it('leaves a byte order mark out of the first string of every file', async () => {
    const folder = temporaryFolder();
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    writeFileSync(one, '\ufeffa\nb\n');
    writeFileSync(other, '\ufeffb\n\ufeffa\n');
    const { stdout } = await runHere(['intern', one, other, '--store', join(folder, STORE)]);
    const [a, b, sameB, marked] = lines(stdout);
    expect([sameB, new Set([a, b, marked]).size]).toEqual([b, 3]);
    const back = await runHere(['intern', '--store', join(folder, STORE), '--resolve'], { input: ['\ufeff', stdout] });
    expect([back.stderr, back.stdout.toString()]).toEqual(['', 'a\nb\nb\n\ufeffa\n']);
  });

  it('adds ids to CSV, and as strings to NDJSON, the same for the same strings', async () => {
    const store = ['--store', join(temporaryFolder(), STORE)];
    const csv = await runHere(['intern', '--csv', '--key', 'name', ...store], { input: ['name,n\na,1\n"a",2\nb,3\n'] });
    const [header, ...rows] = lines(csv.stdout);
    const ids = rows.map((row) => row.split(',').at(-1) as string);
    expect([csv.stderr, header]).toEqual(['', 'name,n,id']);
    expect([ids[0] === ids[1], new Set(ids).size]).toEqual([true, 2]);
    const json = await runHere(['intern', '--ndjson', '--key', 'x', '--as-column', 'y', ...store], {
      input: ['{"x":"b"}\n'],
    });
    expect([json.stderr, json.stdout.toString()]).toEqual(['', `{"x":"b","y":"${ids[2]}"}\n`]);
  });

  it('makes no file with a name of LMDB', async () => {
    const folder = temporaryFolder();
    const run = await runHere(['intern', '--store', 'ids.lmdb'], { cwd: folder, input: ['a\n'] });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('ids.lmdb: LMDB stores are not supported')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stops at a line that is not UTF-8 and names its file, after the lines before it', async () => {
    const folder = temporaryFolder();
    const [good, bad] = [join(folder, 'good'), join(folder, 'bad')];
    writeFileSync(good, 'a\nb');
    writeFileSync(bad, Buffer.from('c\n\xff\nd\n', 'latin1'));
    const { code, stdout, stderr } = await runHere(['intern', good, bad, '--store', join(folder, STORE)]);
    expect([code, lines(stdout).length, stderr]).toEqual([1, 3, `error: ${bad}:2: expected UTF-8, got "\ufffd"\n`]);
  });

  it('stops at an id that is not of the store, after the strings before it, and at a line that is not an id', async () => {
    const store = join(temporaryFolder(), STORE);
    const { stdout } = await runHere(['intern', '--store', store], { input: ['a\n'] });
    const unknown = await runHere(['intern', '--store', store, '--resolve'], { input: [stdout, '7\n'] });
    expect([unknown.code, unknown.stderr]).toEqual([1, 'error: -:2: expected an id of the store, got "7"\n']);
    expect(unknown.stdout.toString()).toBe('a\n');
    const signed = [`${BigInt.asIntN(64, BigInt(stdout.toString().trim()))}\n`];
    expect((await runHere(['intern', '--store', store, '--resolve'], { input: signed })).stdout.toString()).toBe('a\n');
    const other = BigInt(stdout.toString().trim()) ^ (1n << 63n);
    for (const id of [other, BigInt.asIntN(64, other)]) {
      const above = await runHere(['intern', '--store', store, '--resolve'], { input: [`${id}\n`] });
      expect([above.code, above.stderr]).toEqual([1, `error: -:1: expected an id of the store, got "${id}"\n`]);
    }
    const bad = await runHere(['intern', '--store', store, '--resolve'], { input: ['x\n'] });
    expect([bad.code, bad.stderr]).toEqual([
      1,
      'error: -:1: expected a decimal integer from -2^63 to 2^64 - 1, got "x"\n',
    ]);
  });

  it('keeps to the prefix bits that a store was made with, and resolves ids whatever they are', async () => {
    const store = join(temporaryFolder(), STORE);
    const { stdout } = await runHere(['intern', '--store', store, '--prefix-bits', '16'], { input: ['a\n'] });
    const other = await runHere(['intern', '--store', store, '--prefix-bits', '20'], { input: ['a\n'] });
    expect([other.code, other.stderr]).toEqual([1, "error: --prefix-bits: expected the store's 16, got 20\n"]);
    const back = await runHere(['intern', '--store', store, '--resolve'], { input: [stdout] });
    expect([back.code, back.stderr, back.stdout.toString()]).toEqual([0, '', 'a\n']);
  });

  it.each([
    'mysql://localhost',
    'redis://x',
    'file:///ids.db',
    ':memory:',
    '',
  ])('refuses %j as a store', async (store) => {
    const { code, stderr } = await runHere(['intern', '--store', store], { input: ['a\n'] });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: --store: expected a path such as ids.db (SQLite), ' +
        `postgres://user:password@host/database, or etcd://host:port,host:port, got "${store}"\n`,
    );
  });

  it('needs a store', async () => {
    const message = 'error: --store is required\n';
    expect(await runHere(['intern'])).toMatchObject({ code: 2, stderr: message });
  });
});

describeWithSqlite('intern leaves no file, folder or lock behind', () => {
  it.each<[what: string, args: string[], code: number]>([
    ['when an input file is missing', ['good', 'missing'], 1],
    ['when there is nothing to intern', ['empty'], 0],
    ['when there is no store to resolve with', ['ids', '--resolve'], 1],
    ['when --prefix-bits is out of range', ['good', '--prefix-bits', '33'], 2],
    ['when an option is misspelt', ['good', '--resolv'], 2],
  ])('%s', async (_, args, code) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'good'), 'a\n');
    writeFileSync(join(folder, 'ids'), '7\n');
    writeFileSync(join(folder, 'empty'), '');
    const before = readdirSync(folder);
    const run = await runHere(['intern', ...args, '--store', STORE], { cwd: folder });
    expect([run.code, run.stdout.length]).toEqual([code, 0]);
    expect(run.stderr).toMatch(code === 0 ? /^$/ : /^error: /);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('when the store cannot be opened', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, STORE));
    const before = readdirSync(folder);
    for (const path of [join('file', STORE), join('no', 'such', STORE), STORE]) {
      const run = await runHere(['intern', '--store', path], { cwd: folder, input: ['a\n'] });
      expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/^error: .*\n$/)]);
      expect(run.stderr).toContain(path);
    }
    const noStore = ['this is not a store\n'.repeat(1000), ''];
    for (const content of noStore) {
      writeFileSync(join(folder, `other-${STORE}`), content);
      const listed = readdirSync(folder);
      const run = await runHere(['intern', '--store', `other-${STORE}`], { cwd: folder, input: ['a\n'] });
      expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/^error: .*other-ids.*: .*\n$/)]);
      expect([readFileSync(join(folder, `other-${STORE}`), 'utf8'), readdirSync(folder)]).toEqual([content, listed]);
    }
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(before));
  });
});

describe.skipIf(hasSqlite())('intern without SQLite', () => {
  it('says what to install', async () => {
    const run = await shardbits(['intern', '--store', 'ids.db'], { cwd: temporaryFolder(), input: ['a\n'] });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('npm install better-sqlite3')]);
  });
});

describeWithSqlite('the warning of Node about its SQLite', () => {
  it('is not shown, while other warnings are', async () => {
    const folder = temporaryFolder();
    const warn = join(folder, 'warn.mjs');
    writeFileSync(warn, "setTimeout(() => process.emitWarning('another feature', 'ExperimentalWarning'), 1);\n");
    const run = await shardbits(['intern', '--store', 'ids.db'], {
      cwd: folder,
      input: ['a\n'],
      node: ['--import', warn],
    });
    expect(run.stderr).toMatch(/ExperimentalWarning: another feature/);
    expect(run.stderr).not.toMatch(/SQLite/);
  });
});
