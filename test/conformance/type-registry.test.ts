import { describe, expect, it } from 'vitest';
import { InternExhaustedError, Interner, TypeRegistry } from '../../src/registry/index.js';
import { swept } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';
import { everyStore } from './stores.js';

describe.each(everyStore())('a TypeRegistry over $name', ({ open }) => {
  it('numbers names from 1 on, for ever, and tells them back', async () => {
    const { store, again } = await open();
    const types = new TypeRegistry({ store });
    const names = ['User', 'Post', 'User', '', 'Größe', 'a\0b', 'x'.repeat(3000)];
    const ids: number[] = [];
    for (const name of names) ids.push(await types.idOf(name));
    expect(ids).toEqual([1, 2, 1, 3, 4, 5, 6]);
    const other = new TypeRegistry({ store: await again() });
    expect(await Promise.all(ids.map((id) => other.nameOf(id)))).toEqual(names);
    expect(await other.idOf('Post')).toBe(2);
    expect(await other.nameOf(7)).toBeUndefined();
    const expected = [...new Set(names)].map((name, i) => [name, i + 1] as const);
    expect([...(await other.all())]).toEqual(expected);
    expect(await other.count()).toBe(6);
    const entries: [string, number][] = [];
    for await (const entry of other.entries()) entries.push(entry);
    expect(entries.sort(([, a], [, b]) => a - b)).toEqual(expected);
  });

  it('gives a name one number, however many ask at once', async () => {
    const { store, again } = await open();
    const registries = [new TypeRegistry({ store }), new TypeRegistry({ store: await again() })];
    const asked = Array.from({ length: 60 }, (_, i) => registries[i % 2].idOf(`type ${i % 10}`));
    const ids = await Promise.all(asked);
    for (const [i, id] of ids.entries()) expect(id).toBe(ids[i % 10]);
    const all = await registries[0].all();
    expect(all.size).toBe(10);
    for (const [name, id] of all) expect(ids[Number(name.slice(5))]).toBe(id);
  });

  it('has nothing to do with interned strings', async () => {
    const { store } = await open();
    await new Interner({ store }).intern('User');
    const types = new TypeRegistry({ store });
    expect(await types.idOf('Post')).toBe(1);
    expect(await types.idOf('User')).toBe(2);
  });

  it('ends at 65,535', async () => {
    const { store } = await open();
    const names = Array.from({ length: swept(65_534) }, (_, i) => `t${i}`);
    for (let from = 0; from < names.length; from += 20_000) {
      await store.assign('types', { prefix: 0, base: 0n, max: 65_535n }, names.slice(from, from + 20_000));
    }
    await store.restoreCounters('types', new Map([[0, 65_534n]]));
    const types = new TypeRegistry({ store });
    expect(await types.idOf('last')).toBe(65_535);
    await expect(types.idOf('one more')).rejects.toThrow(InternExhaustedError);
    expect(await types.nameOf(65_535)).toBe('last');
  });

  it('refuses what is no name and no number', async () => {
    const types = new TypeRegistry({ store: (await open()).store });
    await expect(types.idOf(5 as never)).rejects.toThrow(wrong('name'));
    await expect(types.idOf('\ud800')).rejects.toThrow(RangeError);
    for (const id of [0, 65_536, 1.5]) await expect(types.nameOf(id)).rejects.toThrow(wrong('id'));
  });
});
