// `npm run test:everywhere`: packs the package, installs it as anybody would, and runs one program on all there is.
// Packages go to a folder that is removed in the end; nothing is installed on the machine.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PINS } from './pins.js';
import { NotHere, type Row } from './row.js';
import { browsers } from './rows/browsers.js';
import { bunAndDeno } from './rows/bun-and-deno.js';
import { bundlers } from './rows/bundlers.js';
import { emulated } from './rows/emulated.js';
import { nodes } from './rows/node.js';
import { servers } from './rows/servers.js';
import { typescript } from './rows/typescript.js';
import { workerd } from './rows/workerd.js';
import { type Program, type Scratch, withScratch } from './scratch.js';
import { type Line, table } from './table.js';

const PROGRAMS: readonly Program[] = (
  [
    ['on-a-server', 'esm'],
    ['on-a-server', 'cjs'],
    ['in-a-page', 'esm'],
    ['bundled', 'esm'],
    ['bundled-server', 'esm'],
    ['in-workerd', 'esm'],
  ] as const
).map(([name, format]) => ({ from: join(import.meta.dirname, 'program', `${name}.ts`), format }));
const PEERS = (['apache-arrow', 'roaring-wasm'] as const).map((name) => `${name}@${PINS[name]}`);

const only = process.argv[2]; // part of a row's name, to run such rows alone
const rows: readonly Row[] = [
  ...nodes,
  ...bunAndDeno,
  workerd,
  ...browsers,
  ...bundlers,
  ...typescript,
  ...servers,
  ...emulated,
].filter(({ name }) => only === undefined || name.toLowerCase().includes(only.toLowerCase()));

await withScratch(async (scratch) => {
  await scratch.prepare(PROGRAMS, ...PEERS);
  const lines: Line[] = [];
  const left = [...rows]; // taken from the end, where the longest are
  const worker = async () => {
    for (let row = left.pop(); row !== undefined; row = left.pop())
      lines[rows.indexOf(row)] = await lineOf(row, scratch);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  console.log(table(lines));
  if (lines.some(({ ok }) => !ok)) process.exitCode = 1;
});

async function lineOf({ name, backend: expected, run }: Row, scratch: Scratch): Promise<Line> {
  const from = performance.now();
  const seconds = () => (performance.now() - from) / 1000;
  try {
    const { version, backend, checks, failures } = await run(scratch);
    for (const failure of failures) console.error(`${name}: ${failure}`);
    if (backend !== expected) console.error(`${name}: the backend is '${backend}', not '${expected}'`);
    const ok = failures.length === 0 && checks > 0 && backend === expected;
    return { name, version, backend, checks, ok, result: ok ? 'ok' : 'FAILED', seconds: seconds() };
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof NotHere)) console.error(`${name}: ${message}`);
    // Where things land, everything has to be there.
    const ok = error instanceof NotHere && process.env.CI === undefined;
    const result = error instanceof NotHere ? `not here: ${message}` : 'FAILED';
    return { name, version: '', backend: '', checks: 0, ok, result, seconds: seconds() };
  }
}
