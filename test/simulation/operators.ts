import type { MapVersion } from '../../src/map/index.js';
import { publishedIn } from '../../src/map/publish.js';
import { STATE_SETTING, type StoreState } from '../../src/registry/identity.js';
import {
  moveBack,
  moveStore,
  releaseShard,
  resetMark,
  restoreStore,
  type Store,
  storeState,
} from '../../src/registry/index.js';
import { MAP_HISTORY_SETTING, MAP_SETTING } from '../../src/registry/store.js';
import type { Memory } from '../../src/registry/stores/memory.js';
import { skippedIn } from '../../src/registry/stores/shared/local-store.js';
import type { Checker } from './checker.js';
import { replaceContents, snapshot } from './contents.js';
import type { Fault } from './faults.js';
import { connect, Server, type Weather } from './network.js';
import { isExpected } from './users.js';
import { Machine, Process, sleep, type World } from './world.js';

const LAST_LOSS_MS = 60_000;

interface OperatorOptions {
  readonly process: Process;
  readonly checker: Checker;
  readonly weather: Weather;
  readonly fault?: Fault | undefined;
  readonly shards: number;
  readonly ttlMs: number;
  /** The machines of the users. */
  readonly machines: readonly Machine[];
}

/** Works on the store by hand, as the guide for operators says, with commands that may be killed or held up. */
export class Operator {
  readonly #options: OperatorOptions;
  readonly #world: World;
  /** Copies of the store, as they were at some time. */
  readonly #backups: Memory[] = [];
  /** By name, those from which the store was moved, and those to which it may be moved. */
  readonly #servers = new Map<string, Server>();
  #commands = 0;
  /** The number in the name of the last server that was made. */
  #lastServer = 1;
  /** The largest number that a type had in any store that was replaced. */
  #lastType = 0;

  constructor(options: OperatorOptions) {
    this.#options = options;
    this.#world = options.process.world;
  }

  /** Runs for ever. */
  async work(): Promise<void> {
    for (;;) {
      await sleep(this.#world.random.from(100, 8000));
      await this.#finishMove();
      await this.#something();
    }
  }

  async #something(): Promise<void> {
    const { checker, shards } = this.#options;
    const { random } = this.#world;
    switch (random.from(0, 8)) {
      case 0:
      case 1:
        this.#backups.push(snapshot(checker.current.memory));
        return;
      case 2:
      case 3:
        await this.#command('release', async (store) => void (await releaseShard(store, random.from(0, shards - 1))));
        return;
      case 4:
        await this.#resetMark(random.from(0, shards - 1));
        return;
      case 5:
        await this.#restore();
        return;
      case 6:
        await this.#lose();
        return;
      default:
        await this.#move();
    }
  }

  /** Lowers a mark only if nobody has minted up to it, as the guide demands. */
  async #resetMark(shard: number): Promise<void> {
    const { checker } = this.#options;
    const { process, memory } = checker.current;
    const now = process.machine.clock();
    const mark = memory.records.get(shard)?.mintedUntil ?? 0;
    if (mark <= now || mark > now + this.#ahead()) {
      await this.#command('reset-mark', async (store) => void (await resetMark(store, shard)));
    }
  }

  async #restore(): Promise<void> {
    const { checker, weather, fault } = this.#options;
    const { current } = checker;
    if (this.#backups.length === 0) return;
    const backup = this.#world.random.pick(this.#backups);
    const staged = new Server('staged', current.process.machine, weather, fault, snapshot(backup));
    current.isLost = true; // nobody gets anything from it until the backup is in its place
    if (await this.#restoreIn(staged)) {
      replaceContents(current.memory, staged.memory);
      checker.restored(mapsIn(staged.memory));
    }
    current.isLost = false;
  }

  /** @returns whether the store can be used */
  async #restoreIn(staged: Server): Promise<boolean> {
    const { process, fault } = this.#options;
    for (let isDone = fault?.isRestoredBare ?? false; !isDone; ) {
      const state = await storeState(connect(process, staged)).catch(() => undefined);
      if (state === undefined) continue;
      if (state.movedTo !== undefined) return false; // made in the middle of a move
      const skipping = this.#skipping(staged);
      const ended = await this.#command('restore', async (store) => void (await restoreStore(store, skipping)), staged);
      isDone = ended === true;
      if (!isDone && state.incomplete?.startsWith('a move')) return false;
    }
    return true;
  }

  /** How much to skip so that a server gives nothing that the current one may have given, as the guide demands. */
  #skipping({ memory }: Server): { readonly leadMs: number; readonly types: number } {
    const { checker, ttlMs } = this.#options;
    const given = checker.current.memory;
    this.#lastType = Math.max(this.#lastType, Number(skippedIn(given, 'types') + given.last('types', 0)));
    const types = Math.max(0, this.#lastType + 64 - Number(skippedIn(memory, 'types')));
    return { leadMs: Math.max(0, Math.ceil(this.#ahead() + ttlMs + 1000)), types };
  }

  /** Takes back the store from which the current one was moved, because the current one is lost. */
  async #lose(): Promise<void> {
    const { checker } = this.#options;
    const { current } = checker;
    const { generation } = stateOf(current);
    const first = [...this.#servers.values()].find((server) => stateOf(server).next === generation);
    if (first === undefined || first === current || stateOf(first).movedTo === undefined) return;
    if (this.#world.now > LAST_LOSS_MS) return; // the end of the world must not come between
    current.isLost = true;
    this.#servers.delete(current.name);
    const skipping = { ...this.#skipping(first), isTargetLost: true };
    while (stateOf(first).movedTo !== undefined || stateOf(first).incomplete !== undefined) {
      await this.#command('restore --lost', async (store) => void (await restoreStore(store, skipping)), first);
    }
    checker.moved(first);
    checker.restored(mapsIn(first.memory));
  }

  async #move(): Promise<void> {
    const { checker, weather, fault } = this.#options;
    const { random } = this.#world;
    const others = [...this.#servers.values()].filter((server) => server !== checker.current);
    let to = random.pick(others);
    if (to === undefined || random.chance(0.6)) {
      const machine = new Machine(this.#world, `server ${++this.#lastServer}`, 1, random.from(-500, 500));
      to = new Server(machine.name, machine, weather, fault);
      this.#servers.set(to.name, to);
    }
    if (await this.#moveOrBack(to, false)) this.#moved(to);
    else await this.#finishMove();
  }

  /** Goes on with a move that has begun, or takes it back, until one of the two is complete. */
  async #finishMove(): Promise<void> {
    const { checker } = this.#options;
    for (let tries = 0; tries < 100; tries++) {
      const to = this.#servers.get(stateOf(checker.current).movedTo ?? '');
      if (to === undefined) return;
      // What the stores say counts, because the answer of a command may have been lost.
      const target = stateOf(to);
      if (target.incomplete === undefined && stateOf(checker.current).next === target.generation) {
        this.#moved(to);
        return;
      }
      await this.#moveOrBack(to, this.#world.random.chance(0.2));
    }
    this.#world.find(`moving ${checker.current.name} does not end`);
  }

  #moved(to: Server): void {
    const { checker } = this.#options;
    this.#servers.set(checker.current.name, checker.current);
    checker.moved(to);
  }

  async #moveOrBack(to: Server, isBack: boolean): Promise<boolean | undefined> {
    const from = this.#options.checker.current;
    const names = { from: from.name, to: to.name };
    return this.#command(isBack ? 'move --back' : 'move', async (store, process) => {
      const target = connect(process, to);
      if (isBack) await moveBack(store, target, names);
      else await moveStore(store, target, names);
    });
  }

  /**
   * Runs a command, which may be killed, or held up for so long that it is taken for dead.
   * @returns whether it was seen to end well; undefined if it was refused
   */
  async #command(
    what: string,
    work: (store: Store, process: Process) => Promise<void>,
    server = this.#options.checker.current,
  ): Promise<boolean | undefined> {
    const { random } = this.#world;
    const process = this.#process(what);
    let result: boolean | undefined | 'running' = 'running';
    this.#world.log(process.name, () => 'begins');
    process.run(async () => {
      try {
        await work(connect(process, server), process);
        result = true;
      } catch (error) {
        if (!isExpected(error)) throw error;
        const { isTransient = true, message } = error as { isTransient?: boolean; message: string };
        this.#world.log(process.name, () => message);
        result = isTransient ? false : undefined;
      }
    });
    const fate = random.from(0, 5);
    if (fate < 2) await sleep(random.from(0, 300));
    if (fate === 0) process.kill();
    if (fate === 1) process.pause(random.from(1000, 30_000));
    for (let waited = 0; result === 'running' && waited < 60_000; waited += 50) {
      await sleep(50);
      if (fate < 2) break;
    }
    this.#world.log(process.name, () => (result === 'running' ? 'is given up' : `ends: ${result}`));
    return result === 'running' ? false : result;
  }

  #process(what: string): Process {
    return new Process(this.#world, `${what} ${++this.#commands}`, this.#options.process.machine);
  }

  /** How far the clock of a holder may have been ahead of the store's. */
  #ahead(): number {
    const { machines, checker } = this.#options;
    const mostAhead = Math.max(0, ...machines.map((machine) => machine.mostAhead));
    return mostAhead - checker.current.process.machine.ahead();
  }
}

function stateOf({ memory }: Server): StoreState {
  return JSON.parse(memory.settings.get(STATE_SETTING) ?? '{}');
}

function mapsIn(memory: Memory): readonly Pick<MapVersion, 'version' | 'digest'>[] {
  const current = memory.settings.get(MAP_SETTING) || undefined;
  const { versions = [] } = JSON.parse(memory.settings.get(MAP_HISTORY_SETTING) || '{}');
  return current === undefined ? [] : [...versions, publishedIn(current).map];
}
