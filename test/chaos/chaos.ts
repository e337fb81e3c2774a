// Processes that intern strings and mint ids in one store, as fast as they can, while they are killed, the servers go down,
// and an operator moves the store, restores backups and rolls back the shard map.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Interner } from '../../src/registry/index.js';
import { lostIn } from '../support/acknowledged.js';
import { Crew, type WorkerOptions } from '../support/crew.js';
import { stringsIn } from '../support/ledger.js';
import { splitMix64 } from '../support/split-mix.js';
import { ENGINES, type Engine, startShardbits, succeeds } from './engines.js';
import { type Fault, Operator } from './operator.js';

export interface ChaosOptions {
  /** The first one has the store in the beginning. */
  readonly engines: readonly string[];
  readonly strings: number;
  readonly ids: number;
  readonly seed: number;
  readonly workers: number;
  readonly fault?: Fault | undefined;
  /** Ends the run early. */
  readonly signal: AbortSignal;
  /** Called every ten seconds, and in the end. */
  readonly onProgress: (line: string) => void;
}

const SHARDS = 64;
const READ_MS = 200;
const PROGRESS_MS = 10_000;
/** A process on duty is killed after a time between these. */
const KILL_MS = [300, 2500] as const;
/** How long an operator does nothing between two short steps. */
const IDLE_MS = [200, 1500] as const;
/** A smaller run takes so long, in which everything can happen. */
const LEAST_MS = 20_000;
/** In how many calls at least all strings are interned. */
const LEAST_CALLS = 100;
/** Every string is interned by two processes. */
const TIMES = 2;

/** @returns everything that must never happen, in words */
export async function chaos(options: ChaosOptions): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-chaos-'));
  const ends: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];
  try {
    const engines: Engine[] = [];
    for (const name of options.engines) {
      const engine = await ENGINES[name](folder);
      engines.push(engine);
      ends.push(() => engine.stop());
    }
    const run = new Run(options, folder, engines, (end) => ends.push(end));
    const interrupted = once(options.signal, 'abort').then(() => ['the run was interrupted']);
    return await Promise.race([run.perform(), interrupted]);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

class Run {
  readonly #options: ChaosOptions;
  readonly #folder: string;
  readonly #engines: readonly Engine[];
  readonly #crew: Crew;
  readonly #began = performance.now();
  #operator!: Operator;
  #kills = 0;
  #isOver = false;
  /** Whether there are enough strings and ids. A restore can lose some of them again. */
  #isEnough = false;
  /** Whether everything has been done at least once that an operator does. */
  #hasDoneAll = false;

  constructor(
    options: ChaosOptions,
    folder: string,
    engines: readonly Engine[],
    onFinished: (end: () => Promise<void>) => void,
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#engines = engines;
    this.#crew = new Crew(folder, onFinished, options.workers, {});
  }

  async perform(): Promise<string[]> {
    const [engine] = this.#engines;
    const place = { engine, name: await engine.newName() };
    const [crew, folder, engines, fault] = [this.#crew, this.#folder, this.#engines, this.#options.fault];
    const task = () => this.#task();
    this.#operator = new Operator(place, {
      crew,
      folder,
      engines,
      fault,
      task,
      random: randomFrom(this.#options.seed),
    });
    const store = await engine.open(place.name);
    await store.replaceSetting('chaos', undefined, 'made'); // which makes it
    await store.close();
    crew.begin(place.name, this.#task());
    try {
      await Promise.all([this.#read(), this.#kill(), this.#operate()]);
    } catch (error) {
      crew.ledger.faults.push(`while ${this.#operator.doing}: ${(error as Error).message}`);
    }
    this.#isOver = true;
    await crew.stop();
    crew.ledger.read();
    this.#report();
    if (crew.ledger.faults.length === 0) await this.#check();
    return crew.ledger.faults;
  }

  /** What a process is told that starts now. */
  #task(): WorkerOptions {
    const { strings: last, ids, workers } = this.#options;
    const { ledger } = this.#crew;
    const strings = Math.min(...this.#engines.map((engine) => engine.strings), Math.ceil(last / LEAST_CALLS));
    const calls = (TIMES * last) / strings;
    const minted = ledger.sizes[1] / ids;
    return {
      jobs: ['intern', 'mint', 'watch'],
      shards: SHARDS,
      strings,
      // So that the two end together. Nobody stops minting, because leases go wrong at any time.
      ids: minted > ledger.strings / last || minted >= 1 ? 1 : Math.ceil((2 * ids) / calls),
      last,
      pauseMs: Math.ceil((LEAST_MS * workers) / calls),
    };
  }

  /** Reads what the processes are given, until that is enough. */
  async #read(): Promise<void> {
    const { strings, ids } = this.#options;
    const { ledger } = this.#crew;
    for (let next = PROGRESS_MS; !this.#isOver; await setTimeout(READ_MS)) {
      ledger.read();
      if (this.#operator.isStaffed && !this.#options.signal.aborted)
        this.#crew.replace(this.#operator.place.name, this.#task());
      if (this.#ms() > next) this.#report();
      while (this.#ms() > next) next += PROGRESS_MS;
      this.#isEnough = ledger.strings >= strings && ledger.sizes[1] >= ids;
      this.#isOver = (this.#isEnough && this.#hasDoneAll) || ledger.faults.length > 0 || this.#options.signal.aborted;
    }
  }

  async #kill(): Promise<void> {
    const random = randomFrom(this.#options.seed + 1);
    for (; !this.#isOver; await setTimeout(between(KILL_MS, random))) {
      const { onDuty } = this.#crew;
      // One that has not begun yet would die in vain, and on a slow machine all would.
      const begun = onDuty.filter(({ log }) => !log.isEnded && log.count.interned > 0);
      if (begun.length === 0 || begun.length < onDuty.length - 1) continue;
      await begun[random(begun.length)].kill();
      this.#kills++;
    }
  }

  /** Does everything in one random order after the other. Long steps take about a third of the time. */
  async #operate(): Promise<void> {
    const random = randomFrom(this.#options.seed + 2);
    const { long, short } = this.#operator;
    const [todo, doneOnce] = [new Map<object, [string, () => Promise<unknown>][]>(), new Set<string>()];
    const next = (steps: { readonly [name: string]: () => Promise<unknown> }) => {
      const left = todo.get(steps)?.length ? (todo.get(steps) as []) : Object.entries(steps);
      todo.set(steps, left);
      return left.splice(random(left.length), 1)[0] as [string, () => Promise<unknown>];
    };
    const all = [...Object.keys(long), ...Object.keys(short)];
    for (let nextLong = 0; !this.#isOver; await setTimeout(between(IDLE_MS, random))) {
      const isLong =
        this.#ms() >= nextLong || (this.#isEnough && Object.keys(long).some((name) => !doneOnce.has(name)));
      const [name, step] = next(isLong ? long : short);
      this.#operator.doing = name;
      const began = this.#ms();
      await step();
      this.#operator.doing = 'waiting';
      if (isLong) nextLong = this.#ms() + 2 * (this.#ms() - began);
      doneOnce.add(name);
      this.#hasDoneAll = doneOnce.size === all.length;
    }
  }

  /** Compares the store with all that was acknowledged. */
  async #check(): Promise<void> {
    const { ledger } = this.#crew;
    const { engine, name } = this.#operator.place;
    this.#operator.doing = 'checking';
    await succeeds(startShardbits('store', 'check', name).outcome).catch((error) => ledger.faults.push(error.message));
    const store = await engine.open(name);
    const interner = new Interner({ store, readOnly: true });
    ledger.faults.push(...(await lostIn(interner, stringsIn(ledger.acknowledged()))).slice(0, 20));
    // An id of a history that is over is unknown, or leads to the same string.
    for (const { strings, ids } of ledger.superseded()) {
      const found = await interner.resolveMany(ids);
      for (const [row, string] of found.entries()) {
        if (string === undefined || string === strings[row]) continue;
        ledger.faults.push(`${ids[row]} was the id of "${strings[row]}", and is that of "${string}"`);
      }
    }
    await interner.close();
    this.#report();
  }

  #report(): void {
    const { ledger } = this.#crew;
    const { moves, takenBack, backups, restores, rollbacks, crashes, commandsKilled } = this.#operator.counts;
    const [ids, minted, leases] = ledger.sizes;
    const texts = [
      `${Math.round(this.#ms() / 1000)} s: ${ledger.strings} strings, ${ids} ids of strings, ${minted} minted ids`,
      `${leases} leases, ${this.#kills} kills, ${commandsKilled} of commands, ${crashes} of servers`,
      `${moves} moves, ${takenBack} taken back, ${backups} backups, ${restores} restores, ${rollbacks} rollbacks`,
      this.#operator.doing,
    ];
    this.#options.onProgress(texts.join('; '));
  }

  #ms(): number {
    return performance.now() - this.#began;
  }
}

/** Random whole numbers below a bound, the same for a seed. */
function randomFrom(seed: number): (below: number) => number {
  const values = splitMix64(1 << 16, seed);
  let next = 0;
  return (below) => Number(values[next++ % values.length] % BigInt(Math.max(1, Math.floor(below))));
}

function between([least, most]: readonly [number, number], random: (below: number) => number): number {
  return least + random(most - least);
}
