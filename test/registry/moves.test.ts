import { describe, expect, it } from 'vitest';
import { memoryStore, moveBack, moveStore, type Store, storeState } from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';

/** Begins a move that ends before the first store is fenced. */
async function interrupted(from: Store, to: Store): Promise<void> {
  const stopped = overriding(from, { replaceState: () => Promise.reject(new Error('cut')) });
  await expect(moveStore(stopped, to)).rejects.toThrow('cut');
  expect((await storeState(to))?.incomplete).toBeDefined();
}

describe('moveBack', () => {
  it('refuses a store that was never part of the move, and changes nothing', async () => {
    const [from, to, other] = [memoryStore(), memoryStore(), memoryStore()];
    await interrupted(from, to);
    const before = await storeState(to);
    await expect(moveBack(other, to)).rejects.toThrow('the first store is not being moved to the second one');
    expect(await storeState(to)).toEqual(before);
    await moveBack(from, to);
    expect((await storeState(to))?.incomplete).toBe('a move that was taken back');
  });
});

describe('moveStore', () => {
  it('is not done because the second store was that of an earlier move', async () => {
    const [a, b, c] = [memoryStore(), memoryStore(), memoryStore()];
    await moveStore(a, b);
    await moveStore(b, a);
    await moveStore(a, c, { to: 'the third' });
    await expect(moveStore(a, b)).rejects.toThrow('the first store was moved to the third already');
  });
});
