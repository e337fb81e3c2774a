// Nodes for keys, by packages of bench/peers.
import { createRequire } from 'node:module';
import { type Contender, changed, TAKEN } from './ours.js';

const require = createRequire(new URL('../peers/index.ts', import.meta.url));

type Ring = new (options?: {
  distribution: 'uniform';
}) => {
  add(node: string): void;
  remove(node: string): void;
  get(key: string): string;
};

/** Runs a function with numbers in place of random ones, so that it gives the same in every run. */
function withSeed<T>(work: () => T): T {
  const { random } = Math;
  Math.random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  try {
    return work();
  } finally {
    Math.random = random;
  }
}

let seed = 1;

export async function others(): Promise<Contender[]> {
  const HashRing = require('hashring') as new (servers: readonly string[]) => { get(key: string): string };
  const ConsistentHash = require('consistent-hash') as Ring;
  const { h64 } = await (require('xxhash-wasm') as () => Promise<{ h64(text: string): bigint }>)();
  const ring = (name: string, create: () => InstanceType<Ring>): Contender => ({
    name,
    place: (nodes, change) =>
      withSeed(() => {
        const made = create();
        for (const node of nodes) made.add(node);
        made.get(''); // gives them their points, before one is added
        if (change === 'added') made.add(changed(nodes, change).at(-1) as string);
        if (change === 'taken') made.remove(nodes[TAKEN]);
        return (key) => made.get(key);
      }),
  });
  return [
    {
      name: 'hashring 3.2.0',
      place(nodes, change) {
        const made = new HashRing(changed(nodes, change));
        return (key) => made.get(key);
      },
    },
    // Its points are random: another process has others.
    ring('consistent-hash 1.2.2', () => new ConsistentHash()),
    ring('consistent-hash 1.2.2, `uniform`', () => new ConsistentHash({ distribution: 'uniform' })),
    {
      name: 'rendezvous, a loop over xxhash-wasm 1.1.0',
      place(nodes, change) {
        const names = changed(nodes, change);
        return (key) => {
          let best = '';
          let most = -1n;
          for (const name of names) {
            const score = h64(name + key);
            if (score > most) [best, most] = [name, score];
          }
          return best;
        };
      },
    },
  ];
}
