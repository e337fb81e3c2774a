// `npm run verify -- sets`: compares sets of ids by shardbits with those by CRoaring in C++ (roaring64.cc). Both make sets of
// the same columns and combine them with and, or, andNot and xor. Each side reads what the other has written, and compares.
// `ROWS=…` for fewer ids than a million, `SEED=…` for others.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomU64s } from '../../test/support/random.js';
import { IdSet } from '../sets.js';
import { ROWS } from './rows.js';

const BOUNDS = BigUint64Array.of(0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n);

const folder = mkdtempSync(join(tmpdir(), 'shardbits-verify-'));
let different = 0;
process.exitCode = main();
rmSync(folder, { recursive: true });

function main(): number {
  const program = join(folder, 'roaring64');
  const compiled = spawnSync('c++', ['-O2', '-o', program, 'bench/peers/roaring64.cc', '-lroaring']);
  if (compiled.status !== 0) {
    console.log(`skipped: no C++ compiler with CRoaring here (Debian: g++, libroaring-dev)\n${compiled.stderr ?? ''}`);
    return process.env.CI ? 1 : 0;
  }
  const none = new BigUint64Array(0);
  const random = randomU64s(ROWS);
  compare(program, 'no ids, and none', none, none);
  compare(program, 'the bounds, and no ids', BOUNDS, none);
  compare(
    program,
    'the bounds, and half of them',
    BOUNDS,
    BOUNDS.filter((_, i) => i % 2 === 0),
  );
  compare(program, 'random ids, a third in both', random.slice(0, 0.2 * ROWS), random.slice(0.1 * ROWS, 0.3 * ROWS));
  const few = random.map((id) => id & 0x0000003fffffffffn);
  compare(program, 'random ids of 64 high words', few, mixed(few));
  const dense = random.map((id) => (id & 0x0000000f00000000n) | (id % 40_000n));
  compare(program, 'random ids in bitsets, 16 high words', dense, mixed(dense));
  const clustered = clusters(ROWS);
  compare(program, 'clusters of 1 to 100,000 ids in a row', clustered, mixed(clustered));
  compare(program, `${ROWS} in a row, and all but one of them`, row(5n, ROWS), row(6n, ROWS - 1));
  compare(program, 'random ids, and clusters', few, clustered);
  console.log(different === 0 ? 'all sets are the same as those of CRoaring' : `${different} are not the same`);
  return different === 0 ? 0 : 1;
}

function row(first: bigint, length: number): BigUint64Array {
  return BigUint64Array.from({ length }, (_, i) => first + BigInt(i));
}

/** `length` ids in runs of random length, at random places below 2^40. */
function clusters(length: number): BigUint64Array {
  const ids = new BigUint64Array(length);
  const random = randomU64s(length, 7);
  for (let at = 0, i = 0; at < length; i += 2) {
    const first = BigInt.asUintN(40, random[i]);
    const run = row(first, Math.ceil(10 ** (Number(random[i + 1] % 5000n) / 1000)));
    ids.set(run.subarray(0, length - at), at);
    at += run.length;
  }
  return ids;
}

/** Two thirds of the ids, and others near them. */
function mixed(ids: BigUint64Array): BigUint64Array {
  return ids.map((id, i) => (i % 3 === 0 ? id ^ 1n : id)).reverse();
}

function compare(program: string, what: string, a: BigUint64Array, b: BigUint64Array): void {
  const [ours, other] = [IdSet.from(a), IdSet.from(b)];
  const [and, or, andNot, xor] = [ours.and(other), ours.or(other), ours.andNot(other), ours.xor(other)];
  const sets = new Map(Object.entries({ a: ours, b: other, runs: ours, and, or, andNot, xor }));
  writeFileSync(join(folder, 'a.ids'), a);
  writeFileSync(join(folder, 'b.ids'), b);
  for (const [name, set] of sets) writeFileSync(join(folder, `ours.${name}`), set.serialize());
  const { stdout, stderr, status } = spawnSync(program, [folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`roaring64 ended with ${status}: ${stderr}`);
  const lines = stdout.trimEnd().split('\n');
  if (lines.length !== sets.size) throw new Error(`roaring64 wrote ${lines.length} lines: ${stdout}`);
  for (const line of lines) {
    const [name = '', count, read] = line.split(' ');
    const set = sets.get(name) as IdSet;
    using theirs = IdSet.deserialize(readFileSync(join(folder, `theirs.${name}`)));
    const isReadHere = theirs.equals(set) && String(set.size) === count;
    const isReadThere = read === 'same';
    const same = isReadHere && isReadThere;
    if (!same) different++;
    const where = same ? '' : ` (read here: ${isReadHere}, read there: ${isReadThere})`;
    console.log(`${same ? 'same     ' : 'DIFFERENT'} ${what}: ${name}, ${count} ids${where}`);
  }
  for (const set of sets.values()) set.free();
}
