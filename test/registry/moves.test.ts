import { describe, expect, it } from 'vitest';
import { currentMap, publishMap, ShardMap } from '../../src/map/index.js';
import { memoryStore, moveBack, moveStore, restoreStore, type Store, storeState } from '../../src/registry/index.js';
import { Memory, MemoryStore } from '../../src/registry/stores/memory.js';
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

  describe('that is held up when everything has been copied', () => {
    /** A move to `to`, and a second object for each store. `meanwhile` runs after its last entry in the journal. */
    function heldUp(meanwhile: (from: Store, to: Store) => Promise<unknown>) {
      const [first, second] = [new Memory(), new Memory()];
      const to = new MemoryStore(second);
      const slow = overriding(to, {
        async replaceSetting(name, expected, value) {
          const isReplaced = await to.replaceSetting(name, expected, value);
          if (value.includes('from the old disk')) await meanwhile(new MemoryStore(first), new MemoryStore(second));
          return isReplaced;
        },
      });
      return { first, to, moving: moveStore(new MemoryStore(first), slow, { from: 'the old disk' }) };
    }

    it('does not open the second store while the first one is being taken back, because it is lost', async () => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      let restoring: Promise<unknown> | undefined;
      const { first, to, moving } = heldUp(async (from) => {
        await new Promise<void>((isChecking) => {
          const slow = overriding(from, {
            async *entries(space) {
              isChecking();
              await gate;
              yield* from.entries(space);
            },
          });
          restoring = restoreStore(slow, { isTargetLost: true });
        });
      });
      await expect(moving).rejects.toMatchObject({ reason: 'given up', message: expect.stringContaining('for lost') });
      expect((await storeState(to))?.incomplete).toBe('a move from the old disk');
      open();
      expect(await restoring).toMatchObject({ outcome: 'taken back' });
      expect((await storeState(new MemoryStore(first)))?.incomplete).toBeUndefined();
    });

    it('says that the move was taken back, if it was', async () => {
      const { moving } = heldUp((from, to) => moveBack(from, to));
      await expect(moving).rejects.toMatchObject({
        reason: 'taken back',
        message: 'the move was taken back meanwhile',
      });
    });
  });
});
