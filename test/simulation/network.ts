import { StoreUnavailableError } from '../../src/errors.js';
import type { Entries, Space, Store } from '../../src/registry/index.js';
import { Memory, MemoryStore } from '../../src/registry/stores/memory.js';
import type { Fault } from './faults.js';
import { type Machine, Process, sleep } from './world.js';

/** How often what happens to calls between a process and a server, each as a probability. */
export interface Weather {
  /** The call does not arrive. */
  readonly lost: number;
  /** It takes effect, but its answer does not arrive. */
  readonly answerLost: number;
  /** It arrives after its caller has given up. */
  readonly late: number;
  /** The store makes the call again before it answers. */
  readonly doubled: number;
  /** How long a call takes each way at most, if it is not late, in milliseconds. */
  readonly mostMs: number;
}

export const CALM: Weather = { lost: 0, answerLost: 0, late: 0, doubled: 0, mostMs: 2 };

/** A server with a store, whose contract is that of all stores. */
export class Server {
  readonly name: string;
  readonly memory: Memory;
  readonly process: Process;
  readonly fault: Fault | undefined;
  weather: Weather;
  isDown = false;
  /** Whether it will never be up again. */
  isLost = false;

  constructor(name: string, machine: Machine, weather: Weather, fault?: Fault, memory = new Memory()) {
    this.name = name;
    this.memory = memory;
    this.process = new Process(machine.world, name, machine);
    this.weather = weather;
    this.fault = fault;
  }
}

/** How long a call waits for its answer, and for how long it is made again. */
const ANSWER_MS = 500;
const TIMEOUT_MS = 2000;
const LATE_MS = 20_000;
const ROWS_A_PIECE = 20;

/** A store as a process has it that is connected to a server. */
export function connect(process: Process, server: Server): Store {
  const { world } = process;
  const { random } = world;
  const plain = new MemoryStore(server.memory);
  const store = server.fault?.ofStore?.(plain, server.memory, random) ?? plain;
  let isClosed = false;
  /** Calls of a connection that changed the state of the store find that out before earlier calls can arrive late. */
  let states = 0;

  async function perform(method: string, args: readonly unknown[], began: number): Promise<unknown> {
    if (method === 'allEntries') return allEntries(store, args[0] as Space);
    if (began !== states) throw new StoreUnavailableError('the connection was closed');
    const result = await (store as unknown as Record<string, (...args: readonly unknown[]) => unknown>)[method](
      ...args,
    );
    if (method === 'replaceState' && result === true) states++;
    return result;
  }

  /** Runs a call at the server, when it arrives there. */
  function arrive(ms: number, method: string, args: readonly unknown[], answer?: (settle: Settle) => void) {
    const began = states;
    world.at(ms, server.process, () => {
      if (server.isDown || server.isLost) return;
      perform(method, args, began).then(
        (value) => answer?.((resolve) => resolve(value)),
        (error) => answer?.((_, reject) => reject(error)),
      );
    });
  }

  function call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    if (isClosed) throw new StoreUnavailableError('the store is closed', { isTransient: false });
    const { lost, answerLost, late, doubled, mostMs } = server.weather;
    return new Promise<T>((resolve, reject) => {
      const giveUp = setTimeout(() => reject(new StoreUnavailableError('the server does not answer')), ANSWER_MS);
      if (random.chance(lost)) return;
      const isLate = random.chance(late);
      let ms = isLate ? random.from(ANSWER_MS, LATE_MS) : random.from(0, mostMs);
      if (random.chance(doubled)) {
        arrive(ms, method, args);
        ms += random.from(0, 2 * mostMs);
      }
      const isAnswerLost = random.chance(answerLost);
      arrive(ms, method, args, (settle) => {
        if (isAnswerLost) return;
        world.at(random.from(0, mostMs), process, () => {
          clearTimeout(giveUp);
          settle(resolve as (value: unknown) => void, reject);
        });
      });
    });
  }

  async function* entries(space: Space): AsyncIterable<Entries> {
    const { keys, ids } = await call<Entries>('allEntries', space);
    for (let from = 0; from < keys.length; from += ROWS_A_PIECE) {
      const to = from + ROWS_A_PIECE;
      yield { keys: keys.slice(from, to), ids: ids.slice(from, to) };
      await sleep(random.from(0, server.weather.mostMs));
      if (random.chance(server.weather.lost)) throw new StoreUnavailableError('the server does not answer');
    }
  }

  const own: Record<string, unknown> = {
    timeoutMs: TIMEOUT_MS,
    entries,
    close: async () => {
      isClosed = true;
    },
    check: undefined,
    backup: undefined,
    place: undefined,
  };
  return new Proxy({} as Store, {
    get: (_, name) => (name in own ? own[name as string] : async (...args: unknown[]) => call(String(name), ...args)),
  });
}

type Settle = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void;

async function allEntries(store: Store, space: Space): Promise<Entries> {
  const keys: string[] = [];
  const ids: bigint[] = [];
  for await (const piece of store.entries(space)) {
    keys.push(...piece.keys);
    ids.push(...piece.ids);
  }
  return { keys, ids: BigUint64Array.from(ids) };
}
