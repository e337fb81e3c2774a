import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interner, memoryStore } from '../../src/registry/index.js';
import { lostIn } from './acknowledged.js';
import { temporaryFolder } from './cli.js';
import { Ledger, type Log, stringOf, stringsIn } from './ledger.js';
import { randomU64s } from './random.js';
import { ABSENT, OTHER, SAME, U64Map } from './u64-map.js';

/** A ledger, and a function that appends a row to the log of one of its processes. */
function started() {
  const ledger = new Ledger();
  const folder = temporaryFolder();
  const open = () => ledger.open(join(folder, String(Math.random())));
  const write = (log: Log, row: readonly unknown[], ...numbers: bigint[]) => {
    appendFileSync(log.path, `${JSON.stringify(row)}\n`);
    appendFileSync(log.path, Buffer.from(BigUint64Array.from(numbers).buffer));
  };
  return { ledger, open, write };
}

describe('a ledger of what processes were given', () => {
  it('finds an id of two strings, also of two histories', () => {
    const { ledger, open, write } = started();
    const before = ledger.snapshot();
    write(open(), ['interned', 2], 1n, 2n ** 63n, 2n, 2n ** 63n + 1n);
    ledger.restore(before);
    write(open(), ['interned', 2], 3n, 2n ** 63n + 2n, 4n, 2n ** 63n + 1n);
    ledger.read();
    expect(ledger.faults).toEqual([`id ${2n ** 63n + 1n} was given to "${stringOf(2)}" and to "${stringOf(4)}"`]);
  });

  it('finds two ids of a string in one history, but not in two', () => {
    const { ledger, open, write } = started();
    const before = ledger.snapshot();
    write(open(), ['interned', 1], 1n, 7n);
    ledger.restore(before);
    expect(ledger.firstMissing()).toBe(1);
    write(open(), ['interned', 1], 1n, 8n);
    expect(ledger.acknowledged().get(1n)).toBe(8n);
    expect(ledger.firstMissing()).toBe(2);
    expect(ledger.faults).toEqual([]);
    expect([...ledger.superseded()]).toEqual([{ strings: [stringOf(1)], ids: BigUint64Array.of(7n) }]);
    write(open(), ['interned', 1], 1n, 9n);
    ledger.read();
    expect(ledger.faults).toEqual([`"${stringOf(1)}" was given the ids 8 and 9`]);
  });

  it('finds an id that was minted twice, and a lease that was given twice', () => {
    const { ledger, open, write } = started();
    const logs = [open(), open()] as const;
    write(logs[0], ['lease', 3, '12']);
    write(logs[0], ['minted', 2], 2n ** 62n, 5n);
    write(logs[1], ['lease', 3, '12']);
    write(logs[1], ['minted', 2], 6n, 2n ** 62n);
    ledger.read();
    expect(ledger.faults).toEqual([
      'token 12 of shard 3 was given twice',
      `${2n ** 62n} was minted by ${logs[0].path} and ${logs[1].path}`,
    ]);
    expect(ledger.sizes).toEqual([0, 3, 1]);
  });

  it('finds two maps of one version, and a version that comes after a later one', () => {
    const { ledger, open, write } = started();
    const [first, second] = [open(), open()];
    write(first, ['saw', 2, 'b']);
    write(second, ['saw', 2, 'c']);
    write(second, ['saw', 1, 'a']);
    ledger.read();
    expect(ledger.faults).toEqual([
      `version 2 of the map is b, and c for ${second.path}`,
      `${second.path} saw version 1 of the map after 2`,
    ]);
  });

  it('waits for the rest of a row', () => {
    const { ledger, open, write } = started();
    const log = open();
    write(log, ['minted', 3], 1n, 2n);
    ledger.read();
    expect(ledger.sizes[1]).toBe(0);
    appendFileSync(log.path, Buffer.from(BigUint64Array.of(3n).buffer));
    ledger.read();
    expect(ledger.sizes[1]).toBe(3);
  });

  it('knows what a store must hold', async () => {
    const { ledger } = started();
    const interner = new Interner({ store: memoryStore() });
    const numbers = Array.from({ length: 300 }, (_, i) => i + 1);
    const ids = await interner.internMany(numbers.map((number) => stringOf(number)));
    ledger.note(numbers, ids);
    expect(await lostIn(interner, stringsIn(ledger.acknowledged()))).toEqual([]);
    ledger.note([301], BigUint64Array.of(77n));
    expect(await lostIn(interner, stringsIn(ledger.acknowledged()))).toEqual([
      `"${stringOf(301)}" has the id 0, not 77`,
      `77 is the id of "undefined", not of "${stringOf(301)}"`,
    ]);
  });
});

it('a map of numbers of 64 bits keeps what it was given first', () => {
  const map = new U64Map();
  const numbers = randomU64s(5000).map((number) => (number & ~0xffn) | 1n);
  const known = new Map(Array.from(numbers, (number) => [number, number ^ 1n]));
  const put = (key: bigint, value: bigint) => {
    const [keyLow, keyHigh, low, high] = new Uint32Array(BigUint64Array.of(key, value).buffer);
    return map.put(keyLow, keyHigh, low, high);
  };
  const found = (putAll: (key: bigint, value: bigint) => number) =>
    new Set(Array.from(known, ([key, value]) => putAll(key, value)));
  expect(found(put)).toEqual(new Set([ABSENT]));
  const copy = map.copy();
  expect(found(put)).toEqual(new Set([SAME]));
  expect(found((key, value) => put(key, value + 1n))).toEqual(new Set([OTHER]));
  expect(put(2n, 3n)).toBe(ABSENT);
  expect([map.size, copy.size, copy.get(2n)]).toEqual([known.size + 1, known.size, undefined]);
  const entries = Array.from(copy.batches(999), ({ keys, values }) =>
    Array.from(keys, (key, row) => [key, values[row]]),
  );
  expect(new Map(entries.flat() as [bigint, bigint][])).toEqual(known);
});
