// `npm run verify -- parquet`: DuckDB turns a Parquet file of awkward texts into CSV, and the command line splits it, as in
// docs/files.md. An Arrow file with the same rows is routed directly. Every row must be unchanged in the file of its shard.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromArrays, tableFromIPC, tableToIPC, type Utf8, type Vector } from 'apache-arrow';
import Papa from 'papaparse';

import { routeVector } from '../arrow.js';
import { Router } from '../shardbits.js';

const ROWS = 200_000;
const SHARDS = [1, 64, 1000];
const AWKWARD = [
  ...['', ' ', ' padded ', '"', '""', '"quoted"', 'a "b" c', ',', 'a,b', ';\t|', "it's", '\\', '\\N', 'NULL', 'null'],
  ...['\n', '\r\n', '\r', 'a\nb', 'a\r\nb', '\n7,decoy,decoy\n', '",\n"', '"\r\n,"\n', '007', '1e3', 'true', '#', '='],
  ...['é', 'e\u0301', 'жизнь', '漢字', '😀', '\u{10ffff}', '\ufeff', '\u2028', '\u00a0', 'x'.repeat(1000)],
];
/** `duckdb -c STATEMENT | shardbits route …`, with DuckDB in Node.js. */
const PIPE = `"$0" bench/peers/query-duckdb.mjs 1 "$1" |
  "$0" dist/cli.js route --csv --key "$2" --keys "$3" --shards "$4" --out-dir "$5"`;

type User = readonly [id: string, email: string, note: string];

const folder = mkdtempSync(join(tmpdir(), 'shardbits-parquet-'));
const parquet = join(folder, 'users.parquet');
const arrow = join(folder, 'users.arrow');
let different = 0;
try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true });
}

function main(): number {
  if (!existsSync('bench/peers/node_modules/@duckdb/node-api')) {
    console.log('skipped: DuckDB is not installed (npm install --prefix bench/peers)');
    return process.env.CI ? 1 : 0;
  }
  const users = Array.from({ length: ROWS }, (_, i) => user(i));
  writeParquet(users);
  const emails = users.map(([, email]) => email);
  writeFileSync(arrow, tableToIPC(tableFromArrays({ email: emails }), 'file'));
  const vector = tableFromIPC(readFileSync(arrow)).getChild('email') as unknown as Vector<Utf8>;
  for (const path of [parquet, arrow]) {
    const { status, stderr } = spawnSync(process.execPath, ['dist/cli.js', 'route', path, '--shards', '10']);
    tell(status !== 0 && /Parquet|Arrow/.test(`${stderr}`), `${path} is refused: ${stderr}`.trim());
  }
  for (const shards of SHARDS) {
    const router = new Router({ shards });
    const byEmail = emails.map((email) => router.route(email));
    tell(isSplit(users, byEmail, 'email', 'text', shards), `Parquet, by texts to ${shards} shards`);
    const byId = users.map(([id]) => router.route(BigInt(id)));
    tell(isSplit(users, byId, 'id', 'u64', shards), `Parquet, by u64s to ${shards} shards`);
    const routed = routeVector(router, vector).toArray();
    tell(equal([...routed], byEmail), `Arrow, by texts to ${shards} shards`);
  }
  console.log(different === 0 ? `all ${ROWS} rows are in their shards` : `${different} are not the same`);
  return different === 0 ? 0 : 1;
}

/** The first users have the awkward texts unchanged. */
function user(i: number): User {
  const [text, other] = [AWKWARD[i % AWKWARD.length], AWKWARD[(i * 7) % AWKWARD.length]];
  const email = i < AWKWARD.length ? text : `${text}${i}${text}`;
  return [`${(BigInt(i) * 0x9e3779b97f4a7c15n) & 0xffff_ffff_ffff_ffffn}`, email, other];
}

function writeParquet(users: readonly User[]): void {
  const json = join(folder, 'users.ndjson');
  writeFileSync(json, users.map(([id, email, note]) => `${JSON.stringify({ id, email, note })}\n`).join(''));
  const fromJson = `COPY (FROM read_json('${json}', columns = {id: 'UBIGINT', email: 'VARCHAR', note: 'VARCHAR'}))
    TO '${parquet}' (FORMAT parquet)`;
  execFileSync(process.execPath, ['bench/peers/query-duckdb.mjs', '1', fromJson]);
}

/** Whether the command line puts every user into the file of its shard, in their order and unchanged. */
function isSplit(
  users: readonly User[],
  shardOf: readonly number[],
  key: string,
  keys: string,
  shards: number,
): boolean {
  const out = join(folder, 'out');
  const toCsv = `COPY (FROM '${parquet}') TO '/dev/stdout' (FORMAT csv, HEADER)`;
  execFileSync('sh', ['-c', PIPE, process.execPath, toCsv, key, keys, `${shards}`, out], { stdio: 'inherit' });
  const expected = Array.from({ length: shards }, (): (readonly string[])[] => [['id', 'email', 'note']]);
  for (const [row, shard] of shardOf.entries()) expected[shard]?.push(users[row]);
  const files = readdirSync(out).filter((name) => name.endsWith('.csv'));
  const isSame =
    files.length === shards &&
    files.sort().every((name, shard) => {
      const csv = readFileSync(join(out, name), 'utf8');
      const { data } = Papa.parse<string[]>(csv, { delimiter: ',', newline: '\n', skipEmptyLines: true });
      return equal(data.flat(), (expected[shard] ?? []).flat());
    });
  rmSync(out, { recursive: true });
  return isSame;
}

function equal<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((value, i) => value === others[i]);
}

function tell(isSame: boolean, what: string): void {
  if (!isSame) different++;
  console.log(`${isSame ? 'same     ' : 'DIFFERENT'} ${what}`);
}
