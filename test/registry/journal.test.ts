import { describe, expect, it } from 'vitest';
import { journal, memoryStore, moveStore, restoreStore, StoreCorruptError } from '../../src/registry/index.js';
import { JOURNAL_SETTING } from '../../src/registry/settings.js';

describe('the journal', () => {
  it('has the first 300 characters of who did what', async () => {
    const [from, to] = [memoryStore(), memoryStore()];
    await moveStore(from, to, { from: 'f'.repeat(1000), by: 'b'.repeat(1000) });
    const entries = await journal(to);
    expect(entries.length).toBeGreaterThan(0);
    const last = entries.at(-1);
    expect(last).toMatchObject({ action: 'move', by: 'b'.repeat(300), what: `from ${'f'.repeat(295)}` });
    expect(last?.at).toBeInstanceOf(Date);
  });

  it('has the last 1,000 entries, the latest one at the end', async () => {
    const store = memoryStore();
    const kept = Array.from({ length: 1000 }, (_, i) => ({ at: i, by: `number ${i}`, action: 'restore', what: '' }));
    await store.replaceSetting(JOURNAL_SETTING, undefined, JSON.stringify(kept));
    await restoreStore(store, { by: 'the last' });
    const entries = await journal(store);
    expect([entries.length, entries[0]?.by, entries.at(-1)?.by]).toEqual([1000, 'number 1', 'the last']);
  });

  it.each(['{', '{}', '5', 'null'])('that is damaged is found out: %s', async (text) => {
    const store = memoryStore();
    await store.replaceSetting(JOURNAL_SETTING, undefined, text);
    await expect(journal(store)).rejects.toThrow(StoreCorruptError);
    await expect(journal(store)).rejects.toThrow(`the setting "${JOURNAL_SETTING}" is damaged`);
  });
});
