// What a procedure of docs/operating.md is performed on: a store, the processes that use it, and an operator.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkStore, Interner, type Store } from '../../src/registry/index.js';
import { lostIn } from '../support/acknowledged.js';
import { Crew, PREFIX_BITS } from '../support/crew.js';
import { stringOf, stringsIn } from '../support/ledger.js';
import { type Names, Operator } from '../support/operator.js';
import type { Place } from '../support/places.js';
import { randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';

export type Engine = 'SQLite' | 'PostgreSQL';

/** A command of the page, or something else that an operator does. */
export type Step = Command | ((world: World) => Promise<void>);

export interface Command {
  readonly run: RegExp;
  /** Whether it changes nothing: then it is killed less often. */
  readonly isReading?: true;
  /** How it ends; 0 by default. */
  readonly code?: number;
  readonly stderr?: RegExp;
  /** What is done after it was killed, before it is run again. */
  readonly afterKill?: (world: World) => Promise<void>;
  /** What it says if it is run again although it was done when it was killed. It exits with 1 then. */
  readonly wasDone?: RegExp;
}

export interface Procedure {
  readonly title: string;
  /** The section of the page. */
  readonly section: string;
  /** How many processes there are, and how many shards they can lease. */
  readonly crew: { readonly size: number; readonly shards: number };
  readonly needsDumps?: true;
  /** Prepares a round: says what the names on the page stand for. */
  readonly prepare: (world: World) => Promise<Names>;
  readonly steps: (engine: Engine) => readonly Step[];
  /** What must hold after a round. */
  readonly check?: (world: World) => Promise<void>;
  /** What the log of the store must say in the end, at least so many times. */
  readonly logged?: { readonly entry: RegExp; readonly times: (rounds: number) => number };
}

/** What is killed in a round. */
interface Kill {
  /** The step before which all processes are killed, and started again. */
  readonly before?: number;
  /** The step whose command is killed while it runs. */
  readonly during?: number;
  /** After which part of its time. */
  readonly share: number;
}

/** How often each command is killed, in different parts of its time. */
const SHARES = IS_WHOLE ? 8 : 1;
const STRINGS = IS_WHOLE ? 20_000 : 1000;

/** All points at which something is killed, each in a round of its own. The first rounds show how long the commands take. */
function killsOf(steps: readonly Step[]): readonly Kill[] {
  const before = Array.from({ length: steps.length + 1 }, (_, step) => ({ before: step, share: 0 }));
  const during = steps.flatMap((step, at) => {
    if (typeof step === 'function') return [];
    const random = randomU64s(step.isReading ? Math.ceil(SHARES / 2) : SHARES);
    // One in every part of its time, of which Node takes the first quarter to start.
    return Array.from(random, (bits, part) => {
      return { during: at, share: 0.25 + (0.75 * (part + Number(bits >> 11n) / 2 ** 53)) / random.length };
    });
  });
  return [...before, ...during];
}

export class World {
  readonly place: Place;
  readonly engine: Engine;
  readonly crew: Crew;
  readonly operator = new Operator();
  readonly #folder: string;
  readonly #procedure: Procedure;
  /** The store in which the processes work. */
  store = '';
  /** What the names on the page stand for in this round. */
  names: Names = {};
  round = 0;

  constructor(
    procedure: Procedure,
    engine: Engine,
    place: Place,
    folder: string,
    onFinished: (end: () => Promise<void>) => void,
  ) {
    this.#procedure = procedure;
    this.engine = engine;
    this.place = place;
    this.#folder = folder;
    const { size, shards } = procedure.crew;
    this.crew = new Crew(folder, onFinished, size, { shards });
  }

  /** Performs the procedure once for every point at which something is killed. @returns what was done, in words */
  async perform(): Promise<string> {
    await this.#begin();
    const steps = this.#procedure.steps(this.engine);
    const kills = killsOf(steps);
    for (const kill of kills) {
      this.round++;
      try {
        await this.#performOnce(steps, kill);
      } catch (error) {
        Object.assign(error as Error, { message: `round with ${JSON.stringify(kill)}: ${(error as Error).message}` });
        throw error;
      }
    }
    await this.#checkLog(kills.length);
    const [strings, minted, leases] = this.crew.ledger.sizes;
    const given = `${strings} ids of strings, ${minted} minted ids, ${leases} leases`;
    return `${kills.length} rounds, ${this.operator.kills} commands killed: ${given}`;
  }

  /** A new folder, for files of the operator. */
  newFolder(): string {
    const folder = join(this.#folder, `round-${this.round}`);
    mkdirSync(folder);
    return folder;
  }

  async withStore<T>(work: (store: Store) => Promise<T>, name = this.store): Promise<T> {
    const store = await this.place.open(name);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Starts the processes on duty, in the store. */
  async start(): Promise<void> {
    this.crew.begin(this.store);
    await this.crew.working();
  }

  /** Runs a command of the procedure's section in this round. */
  run(pattern: RegExp, section = this.#procedure.section) {
    return this.operator.run(section, pattern, this.names);
  }

  async #begin(): Promise<void> {
    this.store = await this.place.newName();
    const numbers = Array.from({ length: STRINGS }, (_, i) => i + 1);
    const ids = await this.withStore((store) =>
      new Interner({ store, prefixBits: PREFIX_BITS }).internMany(numbers.map(stringOf)),
    );
    this.crew.ledger.note(numbers, ids);
    await this.start();
  }

  async #performOnce(steps: readonly Step[], kill: Kill): Promise<void> {
    this.names = await this.#procedure.prepare(this);
    for (const [at, step] of steps.entries()) {
      if (kill.before === at) await this.crew.crash(this.store);
      if (typeof step === 'function') await step(this);
      else await this.#runCommand(step, kill.during === at ? kill.share : undefined);
    }
    if (kill.before === steps.length) await this.crew.crash(this.store);
    await this.crew.working();
    await this.#procedure.check?.(this);
    await this.checkKept();
  }

  async #runCommand({ run, code = 0, stderr, afterKill, wasDone }: Command, share: number | undefined): Promise<void> {
    const { section } = this.#procedure;
    if (share !== undefined) {
      await this.operator.runKilled(section, run, this.names, share);
      await afterKill?.(this);
    }
    const outcome = await this.run(run);
    if (share !== undefined && wasDone?.test(outcome.stderr)) return expect(outcome.code).toBe(1);
    expect([run, outcome]).toEqual([run, { ...outcome, code }]);
    if (stderr !== undefined) expect(outcome.stderr).toMatch(stderr);
  }

  /** Expects of a store that it is whole, and has everything that was acknowledged; and that nothing was given twice. */
  async checkKept(acknowledged = this.crew.ledger.acknowledged(), name = this.store): Promise<void> {
    expect(this.crew.ledger.faults).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(STRINGS);
    await this.withStore(async (store) => {
      expect(await lostIn(new Interner({ store, readOnly: true }), stringsIn(acknowledged))).toEqual([]);
      await checkStore(store);
    }, name);
  }

  /** Checks the store and its log in the end, with the commands of the page. */
  async #checkLog(rounds: number): Promise<void> {
    const { logged } = this.#procedure;
    this.names = { 'moved.db': this.store, 'backup.db': this.store };
    const check = await this.run(/^shardbits store check backup\.db$/, 'Backups');
    expect(check).toEqual({ ...check, code: 0 });
    const log = await this.run(/^shardbits store log moved\.db$/, 'What was done to a store');
    const entries = log.stdout.split('\n').filter((line) => logged?.entry.test(line));
    expect(entries.length, log.stdout).toBeGreaterThanOrEqual(logged?.times(rounds) ?? 0);
  }
}
