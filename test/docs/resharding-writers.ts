// Processes that write to a sharded table all the time, and what they know of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Resharding } from './resharding.js';
import { keyOf, Ledger, randomFrom } from './resharding-ledger.js';

const SCRIPT = 'test/docs/resharding-writer.ts';

export class Writers {
  /** Everything that must never happen, in words. */
  readonly faults: string[] = [];
  /** How many were killed and replaced. */
  killed = 0;
  readonly #resharding: Resharding;
  readonly #rows: number;
  readonly #running: ChildProcess[] = [];
  #loops: Promise<void>[] = [];
  #isEnding = false;

  /** @param rows how many there may be */
  constructor(resharding: Resharding, rows: number) {
    this.#resharding = resharding;
    this.#rows = rows;
  }

  get #log(): string {
    return join(this.#resharding.folder, 'writer.log');
  }

  /** Fills half of the rows. */
  async fill(): Promise<void> {
    const { router, map, sql } = this.#resharding;
    const rows = Array.from({ length: this.#rows / 2 }, (_, i) => {
      return { id: 2 * i, shard: router.route(keyOf(2 * i)), value: `first ${i}` };
    });
    for (const [name, client] of Object.entries(sql)) {
      const own = rows.filter(({ shard }) => map.nodesOf(shard)[0] === name);
      for (let i = 0; i < own.length; i += 1000) await client`insert into items ${client(own.slice(i, i + 1000))}`;
    }
    new Ledger(this.#log).add(...rows.map(({ id, value }) => ['done', id, value] as const));
  }

  /** @param isKilling whether the writing process is killed now and then, and another one goes on */
  async begin({ isKilling = false } = {}): Promise<void> {
    await this.#start();
    this.#loops = [this.#watch(), ...(isKilling ? [this.#kill()] : [])];
  }

  /** Ends the writers, and compares all rows of all databases with what was acknowledged. @returns a summary */
  async end(): Promise<string> {
    this.#isEnding = true;
    await Promise.all(this.#loops);
    for (const child of this.#running) child.kill('SIGTERM');
    await Promise.all(this.#running.map((child) => once(child, 'exit')));
    const ledger = new Ledger(this.#log);
    this.faults.push(...ledger.faults);
    const { sql, next, router } = this.#resharding;
    const found = new Map<number, string>();
    for (const [name, client] of Object.entries(sql)) {
      for (const { id, shard, value } of await client`select id::int, shard, value from items`) {
        if (found.has(id)) this.faults.push(`doubled: ${id} in ${name}`);
        if (shard !== router.route(keyOf(id))) this.faults.push(`${id} in ${name} has the shard ${shard}`);
        if (next.nodesOf(shard)[0] !== name) this.faults.push(`misplaced: ${id} of shard ${shard} in ${name}`);
        found.set(id, value);
      }
    }
    for (const id of ledger.ids()) {
      const [value, possible] = [found.get(id) ?? null, ledger.possible(id)];
      if (!possible.includes(value)) this.faults.push(`${id} is ${value}, not ${possible.join(' or ')}`);
      found.delete(id);
    }
    for (const id of found.keys()) this.faults.push(`never written: ${id}`);
    return `${JSON.stringify(ledger.count)}, writers killed: ${this.killed}`;
  }

  async #start(): Promise<void> {
    const { urls, map, program } = this.#resharding;
    const values = ['writer', resolve(program), this.#log, JSON.stringify(urls), JSON.stringify(map), this.#rows];
    const args = ['--import', 'tsx', SCRIPT, ...values.map(String)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#resharding.onEnd(() => child.kill('SIGKILL'));
    this.#running.splice(0, 1, child);
    const done = () => new Ledger(this.#log).count.done;
    for (const before = done(); done() === before; ) await setTimeout(100);
  }

  /** Kills the writing process now and then, so that it does not know what became of its last changes. */
  async #kill(): Promise<void> {
    for (const random = randomFrom(1); !this.#isEnding; await setTimeout(1000 + random(2000))) {
      const [child] = this.#running;
      child.kill('SIGKILL');
      await once(child, 'exit');
      await this.#resharding.gone('writer'); // until then, a change may still be committed
      this.killed++;
      await this.#start();
    }
  }

  /** Looks for shards that two databases serve. A target serves a shard only after its source has stopped. */
  async #watch(): Promise<void> {
    const { sql, map, next } = this.#resharding;
    const moves = map.movesTo(next);
    const served = async (name: string, states: string[]) => {
      const rows = await sql[name]`select shard from shards_here where state = any(${states})`;
      return new Set(rows.map(({ shard }) => shard));
    };
    for (; !this.#isEnding; await setTimeout(20)) {
      const target = await served('db3', ['owned']);
      for (const source of ['db1', 'db2']) {
        const there = await served(source, ['owned', 'frozen']);
        const both = moves.filter(({ shard, from }) => from === source && target.has(shard) && there.has(shard));
        if (both.length > 0) this.faults.push(`${source} and db3 serve shard ${both[0].shard}`);
      }
    }
  }
}
