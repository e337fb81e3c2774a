import { describe, expect, it } from 'vitest';
import { currentMap, publishMap, ShardMap } from '../../src/map/index.js';
import { memoryStore, moveBack, moveStore, restoreStore, type Store, storeState } from '../../src/registry/index.js';
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
    await expect(moveBack(other, to)).rejects.toMatchObject({
      code: 'ERR_STORE_CONFLICT',
      isTransient: false,
      message: 'the first store is not being moved to the second one',
    });
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

  it('goes back to the store that it came from, with its map, although the present one was restored since', async () => {
    const [a, b] = [memoryStore(), memoryStore()];
    const map = ShardMap.create({ shards: 8, nodes: [{ name: 'a' }] });
    await publishMap(a, map);
    await moveStore(a, b);
    await restoreStore(b);
    await moveStore(b, a);
    expect((await currentMap(a))?.digest).toBe(map.digest);
  });
});
