// `npm run bench -- registry [--quick] [--only NAME] [--json FILE]`: times interning with every store, and with plain tables that have an
// index of the strings. Needs Node.js 22.13, 23.4 or later for SQLite, or better-sqlite3.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Interner } from 'shardbits/registry';
import { sqliteStore } from 'shardbits/stores/sqlite';
import { type FigureTable, plainFigures, writeFigures } from '../figure-tables.js';
import { describeMachine, machine } from '../machine.js';
import { contenders, type Opened } from './contenders.js';
import { keysOf, ORDERS, type Order } from './keys.js';

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, json: { type: 'string' } },
});
const ROUNDS = 10;
// The number of strings, by the size of batches. If every commit waits for the disk, fewer are enough.
const STRINGS = new Map([
  [1000, 400_000],
  [10_000, 400_000],
  [100, 40_000],
  [1, 2000],
]);
const PROCESSES = 4;

interface Figures {
  readonly name: string;
  readonly newPerSecond: number;
  readonly hitsPerSecond?: number;
  readonly bytesPerString?: number;
}

const tables: FigureTable[] = [];

console.log(`${describeMachine(machine())}
strings of 70 characters, each batch on disk before the next; ${ROUNDS} interleaved rounds into growing stores\n`);
const chosen = contenders().filter(({ name }) => values.only === undefined || name.includes(values.only));
for (const order of ORDERS) for (const batch of STRINGS.keys()) await compare(order, batch);
await compareProcesses();
await timeCache();
if (values.json !== undefined) writeFigures(values.json, tables);

/** One process, in which every contender takes a turn in every round. */
async function compare(order: Order, batch: number): Promise<void> {
  const strings = (STRINGS.get(batch) as number) / (values.quick ? 10 : 1);
  const perRound = strings / ROUNDS;
  const opened: Opened[] = [];
  for (const contender of chosen) opened.push(await contender.open());
  const newMs = chosen.map(() => 0);
  const hitMs = chosen.map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const keys = keysOf(order, round * perRound, perRound);
    for (let turn = 0; turn < chosen.length; turn++) {
      const i = (turn + round) % chosen.length;
      newMs[i] = newMs[i] + (await time(opened[i], keys, batch));
    }
  }
  // Strings that have ids already, in another order.
  const known = keysOf(order, 0, strings)
    .sort((a, b) => (a.slice(-5) < b.slice(-5) ? -1 : 1))
    .slice(0, strings / 4);
  for (let turn = 0; turn < 3; turn++) {
    for (const [i, one] of opened.entries()) hitMs[i] = hitMs[i] + (await time(one, known, batch));
  }
  const figures: Figures[] = [];
  for (const [i, { name }] of chosen.entries()) {
    figures.push({
      name,
      newPerSecond: (strings / newMs[i]) * 1000,
      hitsPerSecond: ((3 * known.length) / hitMs[i]) * 1000,
      bytesPerString: (await opened[i].close()) / strings,
    });
  }
  add(`${order} order, batches of ${batch}`, figures);
}

async function time(opened: Opened, keys: readonly string[], batch: number): Promise<number> {
  const began = performance.now();
  for (let from = 0; from < keys.length; from += batch) await opened.intern(keys.slice(from, from + batch));
  return performance.now() - began;
}

/** Several processes that intern different strings into one store. */
async function compareProcesses(): Promise<void> {
  const strings = 200_000 / (values.quick ? 10 : 1);
  const figures: Figures[] = [];
  for (const { name, open } of chosen) {
    const opened = await open();
    const { where } = opened;
    if (where !== undefined) {
      await opened.intern(['the first']);
      const share = strings / PROCESSES;
      const processes = Array.from({ length: PROCESSES }, (_, i) =>
        spawn(
          process.execPath,
          [...process.execArgv, 'bench/registry/process.mjs', where, ...[i * share, share, 1000].map(String)],
          {
            stdio: ['pipe', 'pipe', 'inherit'],
          },
        ),
      );
      await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')));
      const began = performance.now();
      for (const { stdin } of processes) stdin.write('\n');
      await Promise.all(processes.map((one) => once(one, 'exit')));
      const seconds = (performance.now() - began) / 1000;
      figures.push({ name, newPerSecond: strings / seconds });
    }
    await opened.close();
  }
  add(`random order, batches of 1000, ${PROCESSES} processes at once`, figures);
}

/** Strings that are kept in memory. */
async function timeCache(): Promise<void> {
  const opened = await chosen.find(({ name }) => name === 'SQLite')?.open();
  if (opened?.where === undefined) return;
  const interner = new Interner({ store: await sqliteStore(opened.where), cache: 100_000 });
  const keys = keysOf('random', 0, 50_000);
  await interner.internMany(keys);
  const began = performance.now();
  for (let round = 0; round < 20; round++) {
    for (let from = 0; from < keys.length; from += 1000) await interner.internMany(keys.slice(from, from + 1000));
  }
  const perSecond = (20 * keys.length) / ((performance.now() - began) / 1000);
  await interner.close();
  await opened.close();
  show({
    title: 'kept in memory (cache: 100,000), batches of 1000',
    columns: ['known strings a second'],
    rows: [['SQLite', perSecond]],
  });
}

function add(title: string, figures: readonly Figures[]): void {
  const rows = figures.map(({ name, newPerSecond, hitsPerSecond = null, bytesPerString = null }) => {
    const rival = figures.find((other) => other.name === chosen.find((one) => one.name === name)?.rival);
    const times = rival === undefined ? null : newPerSecond / rival.newPerSecond;
    return [name, newPerSecond, times, hitsPerSecond, bytesPerString] as const;
  });
  show({
    title,
    columns: ['new strings a second', 'times as many as the plain table', 'known strings a second', 'bytes a string'],
    rows,
  });
}

function show(table: FigureTable): void {
  tables.push(table);
  console.log(plainFigures(table));
}
