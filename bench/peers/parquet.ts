// `npm run verify -- parquet`: the command line splits Parquet files, of awkward texts and of many rows, by e-mail address.
// Every row must be unchanged, in the file of its shard. DuckDB's own PARTITION_BY by its own hash splits the same rows, one
// after the other with the command line, and both are timed. An Arrow file with the awkward rows is routed directly.
// `ROWS=4000000` for as many rows as in docs/parquet.md, and `--json FILE` to record the times.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { tableFromArrays, tableFromIPC, tableToIPC, type Utf8, type Vector } from 'apache-arrow';

import { routeVector } from '../arrow.js';
import { type FigureTable, plainFigures, writeFigures } from '../figure-tables.js';
import { Router } from '../shardbits.js';
import { median } from '../summary.js';
import { ROWS } from './rows.js';

const USERS = 200_000;
const SHARDS = [1, 64, 1000];
const AWKWARD = [
  ...['', ' ', ' padded ', '"', '""', '"quoted"', 'a "b" c', ',', 'a,b', ';\t|', "it's", '\\', '\\N', 'NULL', 'null'],
  ...['\n', '\r\n', '\r', 'a\nb', 'a\r\nb', '\n7,decoy,decoy\n', '",\n"', '"\r\n,"\n', '007', '1e3', 'true', '#', '='],
  ...['é', 'e\u0301', 'жизнь', '漢字', '😀', '\u{10ffff}', '\ufeff', '\u2028', '\u00a0', 'x'.repeat(1000)],
];
const ROUNDS = 3;
const TIMED_SHARDS = 64;
const MANY_SHARDS = 8000;
const OPEN_FILES = 256;

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'shardbits-parquet-'));
const out = join(folder, 'out');
let different = 0;
let connection: DuckDBConnection;
try {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await compareAwkward();
  await compareMany();
  console.log(different === 0 ? 'all rows are in their shards' : `${different} are not the same`);
  process.exitCode = different === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

async function compareAwkward(): Promise<void> {
  const users = Array.from({ length: USERS }, (_, i) => user(i));
  const json = join(folder, 'users.ndjson');
  writeFileSync(json, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
  const path = join(folder, 'users.parquet');
  const types = "{ n: 'bigint', id: 'ubigint', email: 'varchar', note: 'varchar' }";
  await connection.run(`copy (from read_json('${json}', columns = ${types})) to '${path}' (format parquet)`);
  const arrow = join(folder, 'users.arrow');
  const emails = users.map(({ email }) => email);
  writeFileSync(arrow, tableToIPC(tableFromArrays({ email: emails }), 'file'));
  const { status, stderr } = spawnSync(process.execPath, ['dist/cli.js', 'route', arrow, '--shards', '10']);
  tell(status !== 0 && /Arrow/.test(`${stderr}`), `${arrow} is refused: ${stderr}`.trim());
  const vector = tableFromIPC(readFileSync(arrow)).getChild('email') as unknown as Vector<Utf8>;
  for (const shards of SHARDS) {
    const router = new Router({ shards });
    const byEmail = emails.map((email) => router.route(email));
    tell(await isSplit(path, byEmail, 'email', shards), `Parquet, by texts to ${shards} shards`);
    const byId = users.map(({ id }) => router.route(BigInt(id)));
    tell(await isSplit(path, byId, 'id', shards), `Parquet, by u64s to ${shards} shards`);
    const routed = routeVector(router, vector).toArray();
    tell(equal([...routed], byEmail), `Arrow, by texts to ${shards} shards`);
  }
}

/** The first users have the awkward texts unchanged. */
function user(n: number) {
  const [text, note] = [AWKWARD[n % AWKWARD.length], AWKWARD[(n * 7) % AWKWARD.length]];
  const email = n < AWKWARD.length ? text : `${text}${n}${text}`;
  return { n, id: `${(BigInt(n) * 0x9e3779b97f4a7c15n) & 0xffff_ffff_ffff_ffffn}`, email, note };
}

/** Whether the command line puts every row into the file of its shard, in their order. */
async function isSplit(path: string, shardOf: readonly number[], key: string, shards: number): Promise<boolean> {
  split(path, key, shards);
  const files = filesOfShards();
  const isSame = files.length === shards && (await differentRows(path)) === 0;
  const expected = Array.from({ length: shards }, (): number[] => []);
  for (const [row, shard] of shardOf.entries()) expected[shard].push(row);
  const rows = await connection.runAndReadAll(
    `select file_index::integer, n::integer from read_parquet([${files.map((file) => `'${file}'`).join(', ')}])`,
  );
  const found = Array.from({ length: shards }, (): number[] => []);
  for (const [file, n] of rows.getRows() as number[][]) found[file].push(n);
  rmSync(out, { recursive: true });
  return isSame && expected.every((numbers, shard) => equal(numbers, found[shard]));
}

function filesOfShards(): string[] {
  return readdirSync(out)
    .filter((name) => name.endsWith('.parquet'))
    .sort()
    .map((name) => join(out, name));
}

/** How many rows are in the file or in the directory only, equal rows counted. */
async function differentRows(path: string): Promise<number> {
  const [one, other] = [`'${path}'`, `'${out}/*.parquet'`];
  const counted = await connection.runAndReadAll(
    `select count(*)::integer from ((from ${one} except all from ${other}) union all (from ${other} except all from ${one}))`,
  );
  return counted.getRows()[0][0] as number;
}

async function compareMany(): Promise<void> {
  const path = join(folder, 'many.parquet');
  const email = "'user' || i || '@example' || hash(i) % 1000 || '.com'";
  await connection.run(
    `copy (select i as id, ${email} as email, hash(i) as score, repeat('x', (i % 40)::integer) as note
      from range(${ROWS}) r(i)) to '${path}' (format parquet)`,
  );
  const own: number[] = [];
  const theirs: number[] = [];
  let megabytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { seconds, peak } = split(path, 'email', TIMED_SHARDS);
    own.push(seconds);
    megabytes = Math.max(megabytes, peak);
    if (round === 0) await checkPlaces(path, TIMED_SHARDS);
    rmSync(out, { recursive: true });
    theirs.push(splitByDuckDb(path));
    rmSync(out, { recursive: true });
  }
  const { seconds, peak } = split(path, 'email', MANY_SHARDS, `ulimit -n ${OPEN_FILES}; `);
  tell(filesOfShards().length === MANY_SHARDS, `${MANY_SHARDS} files`);
  await checkPlaces(path, MANY_SHARDS);
  const table: FigureTable = {
    title: `${ROWS.toLocaleString('en')} rows, ${Math.round(statSync(path).size / 1e6)} MB`,
    columns: ['seconds', 'MB of memory'],
    rows: [
      [`${TIMED_SHARDS} files`, median(own), megabytes],
      [`${TIMED_SHARDS} files, by PARTITION_BY of DuckDB`, median(theirs), null],
      [`${MANY_SHARDS} files, ${OPEN_FILES} open`, seconds, peak],
    ],
  };
  console.log(plainFigures(table));
  if (values.json !== undefined) writeFigures(values.json, [table]);
}

/** Compares the rows of all files with those of the whole, and their keys with the shards that a router gives. */
async function checkPlaces(path: string, shards: number): Promise<void> {
  tell((await differentRows(path)) === 0, `${ROWS} rows in ${shards} files, by EXCEPT ALL both ways`);
  const router = new Router({ shards });
  let misplaced = 0;
  const files = filesOfShards();
  const result = await connection.stream(
    `select email, file_index::integer from read_parquet([${files.map((file) => `'${file}'`).join(', ')}])`,
  );
  for await (const rows of result.yieldRows()) {
    const found = router.routeMany(rows.map(([email]) => String(email)));
    rows.forEach(([, file], row) => {
      if (found[row] !== file) misplaced++;
    });
  }
  tell(misplaced === 0, `each of ${ROWS} rows in the file of its shard, of ${shards}`);
}

/** Runs the command line. */
function split(path: string, key: string, shards: number, before = ''): { seconds: number; peak: number } {
  const command = `${before}exec "$0" --import ./bench/peers/peak-memory.mjs dist/cli.js route "$1" --key "$2" --keys "$3" --shards "$4" --out-dir "$5"`;
  const start = performance.now();
  const args = ['-c', command, process.execPath, path, key, key === 'id' ? 'u64' : 'text', `${shards}`, out];
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { seconds: (performance.now() - start) / 1000, peak: Number(stdout) };
}

/** In a process of its own, too. */
function splitByDuckDb(path: string): number {
  const query = `select *, hash(email) % ${TIMED_SHARDS} as shard from '${path}'`;
  const statement = `copy (${query}) to '${out}' (format parquet, partition_by (shard))`;
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['bench/peers/query-duckdb.mjs', '', statement], {
    encoding: 'utf8',
  });
  if (status !== 0 || !existsSync(out)) throw new Error(stderr);
  return (performance.now() - start) / 1000;
}

function equal<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((value, i) => value === others[i]);
}

function tell(isSame: boolean, what: string): void {
  if (!isSame) different++;
  console.log(`${isSame ? 'same     ' : 'DIFFERENT'} ${what}`);
}
