// `npm run bench [-- --quick]`: each piece of work on both backends and as a specialised loop. Results
// are compared before anything is timed; only ratios within one run mean anything.
import os from 'node:os';
import { parseArgs } from 'node:util';
import { setBackend } from 'shardbits';
import { Bench } from 'tinybench';
import { type Case, makeCases } from './cases.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rows = values.quick ? 1_000_000 : 10_000_000;

const WAYS = {
  wasm: (work: Case) => onBackend('wasm', work),
  bigint: (work: Case) => onBackend('bigint', work),
  specialised: (work: Case) => work.specialised(),
};
type Way = keyof typeof WAYS;

function onBackend(backend: 'wasm' | 'bigint', work: Case): readonly ArrayBufferView[] {
  setBackend(backend);
  return work.run();
}

/** Refuses to time things that differ. */
function verify(work: Case): void {
  const results = Object.values(WAYS).map((run) => run(work).map((column) => Buffer.from(bytesOf(column))));
  const [first, ...others] = results as [Buffer[], ...Buffer[][]];
  for (const other of others) {
    if (!first.every((column, i) => column.equals(other[i] as Buffer))) throw new Error(`${work.name}: results differ`);
  }
}

function bytesOf(column: ArrayBufferView): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** Median nanoseconds a row, each way. */
async function time(work: Case): Promise<Record<Way, number>> {
  const bench = new Bench({ iterations: 5, time: 0, warmupIterations: 1, warmupTime: 0, throws: true });
  for (const [way, run] of Object.entries(WAYS)) bench.add(way, () => void run(work));
  const tasks = await bench.run();
  return Object.fromEntries(
    tasks.map(({ name, result }) => {
      if (!('latency' in result)) throw new Error(`${work.name}, ${name}: not timed`);
      return [name, (result.latency.p50 * 1e6) / rows];
    }),
  ) as Record<Way, number>;
}

function line(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(28) : cell.padStart(13))).join('');
}

const cpu = os.cpus()[0]?.model ?? 'unknown processor';
console.log(
  `${rows.toLocaleString('en')} rows; medians; ${cpu}, Node ${process.version}, ${os.platform()} ${os.arch()}\n`,
);
console.log(line(['', 'wasm', 'bigint', 'specialised', 'wasm against', '']));
console.log(line(['', 'ns a row', 'ns a row', 'ns a row', 'bigint', 'specialised']));
for (const work of makeCases(rows)) {
  verify(work);
  const ns = await time(work);
  const ratio = (way: Way) => `${(ns[way] / ns.wasm).toFixed(1)} x`;
  console.log(
    line([
      work.name,
      ns.wasm.toFixed(2),
      ns.bigint.toFixed(2),
      ns.specialised.toFixed(2),
      ratio('bigint'),
      ratio('specialised'),
    ]),
  );
}
console.log('\nspecialised: a BigInt loop written for just this work, every constant in place, nothing checked.');
