import { describe, expect, it } from 'vitest';
import { Interner, memoryStore, TypeRegistry } from '../../src/registry/index.js';
import { everyStore } from '../conformance/stores.js';

/** How often a timer of 1 ms runs while work is done again and again for a tenth of a second of processor time. */
async function timersDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const timer = setInterval(() => count++, 1);
  const began = process.cpuUsage();
  const usedMs = () => process.cpuUsage(began).user / 1000;
  while (usedMs() < 100) await work();
  clearInterval(timer);
  return count;
}

// It is about 17, and fewer on a busy machine. Without turns of the event loop it is 0.
const ENOUGH = 1;

describe('a loop that waits for known values alone lets timers run', () => {
  const keys = Array.from({ length: 2000 }, (_, i) => `key ${i}`);

  it.each(everyStore())('with strings and ids in $name', async ({ open }) => {
    const interner = new Interner({ store: (await open()).store });
    const ids = await interner.internMany(keys);
    const [key = ''] = keys;
    for (const work of [
      () => interner.internMany(keys),
      () => interner.lookupMany(keys),
      () => interner.resolveMany(ids),
      () => interner.intern(key),
    ]) {
      expect(await timersDuring(work)).toBeGreaterThan(ENOUGH);
    }
  });

  it('with strings that are cached', async () => {
    const interner = new Interner({ store: memoryStore(), cache: 10_000 });
    await interner.internMany(keys);
    expect(await timersDuring(() => interner.internMany(keys))).toBeGreaterThan(ENOUGH);
  });

  it('with types', async () => {
    const types = new TypeRegistry({ store: memoryStore() });
    const id = await types.idOf('User');
    expect(await timersDuring(() => types.idOf('User'))).toBeGreaterThan(ENOUGH);
    expect(await timersDuring(() => types.nameOf(id))).toBeGreaterThan(ENOUGH);
  });
});
