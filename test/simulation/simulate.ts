import { leaseShard } from '../../src/registry/index.js';
import { Checker } from './checker.js';
import type { Fault } from './faults.js';
import { CALM, connect, Server, type Weather } from './network.js';
import { Operator } from './operators.js';
import { intern, isExpected, mint, publish, type UserOptions, watch } from './users.js';
import { Machine, Process, sleep, World } from './world.js';

const LASTING_MS = 100_000;
const HOUR = 3_600_000;

export interface Simulated {
  readonly findings: readonly string[];
  /** What everybody got. */
  readonly counts: string;
}

/**
 * Runs a world of a seed: users, operators, servers and what goes wrong between them.
 * @param log gets everything that happens
 */
export async function simulate(seed: number, fault?: Fault, log?: string[]): Promise<Simulated> {
  const world = new World(seed, log);
  const { random } = world;
  // Each world has another weather, and clocks that differ by seconds, minutes or hours.
  const skewMs = random.pick([0, 20, 2000, 2000, 600_000, 2 * HOUR]);
  const rates = () => 1 + random.from(-20, 20) / 1000;
  const rate = () => random.pick([0, 0.01, 0.05]);
  const weather: Weather = {
    ...{ lost: rate(), answerLost: rate(), late: rate() / 2, doubled: rate() },
    mostMs: random.pick([1, 10, 100]),
  };
  const machine = new Machine(world, 'server 1', 1, random.from(-skewMs, skewMs) / 10);
  const server = new Server(machine.name, machine, weather, fault);
  const checker = new Checker(world, server);
  const shards = random.from(1, 6);
  const ttlMs = random.pick([200, 1000, 5000]);
  const machines = Array.from({ length: random.from(2, 4) }, (_, i) => {
    return new Machine(world, `machine ${i}`, rates(), Math.trunc(random.from(-skewMs, skewMs) / 2));
  });

  const users: Process[] = [];
  const start = (name: string, on: Machine, program: (user: UserOptions) => Promise<void>) => {
    const process = new Process(world, name, on);
    users.push(process);
    process.run(() => program({ process, checker, fault, shards, ttlMs }));
  };
  const programs = { intern, mint, mint2: mint, publish, watch };
  for (const on of machines) {
    for (const [name, program] of Object.entries(programs)) start(`${name} ${on.name.slice(8)}`, on, program);
  }

  const nature = new Process(world, 'nature', new Machine(world, 'nature'));
  nature.run(async () => {
    for (let started = 0; ; started++) {
      await sleep(random.from(100, 6000));
      const at = random.from(0, users.length - 1);
      const { name, machine: on } = users[at];
      switch (random.from(0, 4)) {
        case 0: {
          users[at].kill();
          const [program] = name.split(' ');
          users.splice(at, 1);
          start(`${program} ${on.name.slice(8)} ${started}`, on, programs[program as keyof typeof programs]);
          break;
        }
        case 1:
          users[at].pause(random.from(10, 20_000));
          break;
        case 2:
          on.skew = Math.trunc(random.from(-skewMs, skewMs) / 2);
          world.log('nature', () => `sets the clock of ${on.name} to ${on.ahead()} ms ahead`);
          break;
        case 3:
          if (checker.current.isLost) break; // an operator has just looked at its clock
          checker.current.process.machine.skew = Math.trunc(random.from(-skewMs, skewMs) / 10);
          break;
        default: {
          const { current } = checker;
          current.isDown = true;
          await sleep(random.from(1, 4000));
          current.isDown = false;
        }
      }
    }
  });
  const operator = new Process(world, 'operator', new Machine(world, 'operator'));
  operator.run(() => new Operator({ process: operator, checker, weather, fault, shards, ttlMs, machines }).work());

  await world.runUntil(LASTING_MS);

  // Everything that went wrong has an end: then the store must be whole, and of use.
  for (const process of [...users, nature]) process.kill();
  checker.current.isDown = false;
  checker.current.weather = CALM;
  const end = new Process(world, 'end', new Machine(world, 'end', 1, machine.skew));
  let isOver = false;
  end.run(async () => {
    await sleep(120_000); // the operator may have to finish a move
    operator.kill();
    checker.current.isLost = false; // it may have been about to put a backup in its place
    checker.current.weather = CALM;
    const store = connect(end, checker.current);
    await checker.checkAll(store);
    const signal = AbortSignal.timeout(60_000);
    await leaseShard({ store, shards: shards + 1, ttlMs, signal }).catch((error) => {
      if (!isExpected(error) && error.name !== 'TimeoutError') throw error;
    });
    isOver = true;
  });
  await world.runUntil(LASTING_MS + 400_000);
  if (!isOver) world.find('the last check does not end');
  return { findings: world.findings, counts: checker.counts };
}
