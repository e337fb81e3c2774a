import { describe, expect, it } from 'vitest';
import { layouts, type TimeUnit } from '../../src/index.js';
import { findEpoch } from '../../src/inspector/decode/epoch-finder.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import { randomU64s } from '../support/random.js';

const MICROS: Record<TimeUnit, bigint> = { s: 1_000_000n, '10ms': 10_000n, ms: 1000n, '10us': 10n, us: 1n };
const UNITS = Object.keys(MICROS) as TimeUnit[];
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0);

/** Random numbers of one table. */
function randomOf(table: number, most = 1000) {
  const drawn = randomU64s(most, 7919 * table + 1).values();
  const u64 = () => drawn.next().value ?? 0n;
  return { u64, below: (most: number) => Number(u64() % BigInt(most)) };
}

/** Ids of a layout and an epoch that are made up, with the instants at which they were made. */
function tableOf(number: number) {
  const { u64, below } = randomOf(number);
  const unit = UNITS[below(UNITS.length)] as TimeUnit;
  const isRound = below(2) === 0;
  const epoch = isRound ? Date.UTC(2010 + below(14), below(12)) : Date.UTC(2010) + below(14 * 365 * DAY);
  const start = epoch + DAY + below(700 * DAY);
  const span = DAY + below(400 * DAY);
  const longest = ((BigInt(start + span - epoch) * 1000n) / MICROS[unit]).toString(2).length;
  const shift = 8 + below(Math.min(45, 64 - longest) - 7);
  const rows = 5 + below(300);
  const made = Float64Array.from({ length: rows }, () => start + below(span));
  const ids = BigUint64Array.from(made, (ms) => {
    const units = (BigInt(ms - epoch) * 1000n) / MICROS[unit];
    return (units << BigInt(shift)) | (u64() & ((1n << BigInt(shift)) - 1n));
  });
  return { ids, made, unit, epoch, shift, isRound };
}

describe('the epoch of a layout that nobody names', () => {
  const tables = Array.from({ length: 100 }, (_, number) => tableOf(number));

  it('is found to the unit, with the place and the unit of the time, from dates in milliseconds', () => {
    for (const { ids, made, unit, epoch, shift, isRound } of tables) {
      const found = findEpoch(ids, made);
      expect(found).toMatchObject({ shift, unit, rows: ids.length, agreeing: ids.length });
      const unitMs = Math.max(1, Number(MICROS[unit]) / 1000);
      expect(Math.abs((found?.epoch ?? 0) - epoch)).toBeLessThan(isRound ? 1 : unitMs);
    }
  });

  it('is found to the second from dates in seconds', () => {
    for (const { ids, made, unit, epoch, shift, isRound } of tables) {
      const found = findEpoch(
        ids,
        made.map((ms) => Math.floor(ms / 1000) * 1000),
      );
      expect(found).toMatchObject({ shift, unit });
      expect(Math.abs((found?.epoch ?? 0) - epoch)).toBeLessThan(isRound ? 1 : 1000);
    }
  });

  it('is found although a few rows have other dates, and rows are written later than their ids are made', () => {
    for (const [number, { ids, made, unit, epoch, shift, isRound }] of tables.entries()) {
      if (ids.length < 50) continue;
      const { below } = randomOf(number + 1000);
      const found = findEpoch(
        ids,
        made.map((ms, row) => (row % 20 === 7 ? NOW : row % 20 === 8 ? Number.NaN : ms + below(40))),
      );
      expect(found).toMatchObject({ shift, unit });
      expect(Math.abs((found?.epoch ?? 0) - epoch)).toBeLessThan(isRound ? 1 : 1040);
      expect(found?.agreeing).toBeLessThan(found?.rows ?? 0);
      expect(found?.agreeing).toBeGreaterThan(0.9 * (found?.rows ?? 0));
    }
  });

  it.each([
    ['2018-01-01T00:00:00Z', 1],
    ['2019-03-01T00:00:00Z', 1],
    ['2019-03-01T00:00:00Z', 1000],
    ['2019-03-07T00:00:00Z', 1000],
    ['2019-03-01T02:00:00Z', 1000],
    ['2019-03-01T09:30:00Z', 1],
    ['2019-03-01T09:30:00Z', 60_000],
    ['2019-03-01T09:30:15Z', 1],
    ['2019-03-01T09:30:15Z', 1000],
    ['2019-03-01T09:30:15.250Z', 1],
  ])('is the roundest that the dates allow: %s, from dates in units of %i ms', (text, grain) => {
    const epoch = Date.parse(text);
    for (let number = 0; number < 20; number++) {
      const { u64, below } = randomOf(number + 2000);
      const made = Float64Array.from({ length: 80 }, () => epoch + 1000 * DAY + below(30 * DAY));
      const ids = BigUint64Array.from(made, (ms) => (BigInt(ms - epoch) << 22n) | (u64() & 0x3fffffn));
      // Rows are written a little after their ids are made.
      const late = epoch % 1000 === 0 ? 30 : 1;
      const found = findEpoch(
        ids,
        made.map((ms) => Math.floor((ms + below(late)) / grain) * grain),
      );
      expect(new Date(found?.epoch ?? 0).toISOString()).toBe(new Date(epoch).toISOString());
      expect(found?.agreeing).toBe(80);
    }
  });

  it('says how many bits there are above', () => {
    const { ids, made, epoch } = tableOf(1);
    const of = (shift: bigint, top: bigint) =>
      findEpoch(
        ids.map((_, row) => (BigInt((made[row] ?? 0) - epoch + Number(top)) << shift) | 1n),
        made,
      );
    expect(of(22n, 0n)).toMatchObject({ shift: 22, bits: 41 });
    expect(of(12n, 0n)).toMatchObject({ shift: 12, bits: 41 });
    expect(of(24n, 2n ** 39n)).toMatchObject({ shift: 24, bits: 40 });
  });

  it('is not found in random numbers', () => {
    let found = 0;
    for (let number = 0; number < 10_000; number++) {
      const { u64, below } = randomOf(number, 32);
      const rows = 5 + below(8);
      const bits = BigInt(below(40)); // of small numbers, too
      const ids = BigUint64Array.from({ length: rows }, () => u64() >> bits);
      const dates = Float64Array.from(
        { length: rows },
        (_, row) => NOW - (number % 2 ? row * 60_000 : below(500 * DAY)),
      );
      if (number % 3 === 0) [ids, dates].map((column) => (column as Float64Array).sort());
      if (findEpoch(ids, dates) !== undefined) found++;
    }
    expect(found).toBeLessThanOrEqual(1);
  });

  it('is not found in numbers that count up, and where dates are missing, few or all the same', () => {
    const rows = Array.from({ length: 300 }, (_, row) => row);
    const counted = BigUint64Array.from(rows, (row) => BigInt(100_000 + row));
    const { below } = randomOf(5);
    let ms = NOW;
    expect(
      findEpoch(
        counted,
        Float64Array.from(rows, () => (ms += below(120_000))),
      ),
    ).toBeUndefined();
    expect(
      findEpoch(
        counted,
        Float64Array.from(rows, () => NOW),
      ),
    ).toBeUndefined();
    expect(
      findEpoch(
        counted,
        Float64Array.from(rows, () => Number.NaN),
      ),
    ).toBeUndefined();
    const { ids, made } = tableOf(2);
    expect(findEpoch(ids.subarray(0, 4), made)).toBeUndefined();
    expect(findEpoch(new BigUint64Array(0), [])).toBeUndefined();
  });
});

describe('a table of ids of an unknown layout', () => {
  const EPOCH = Date.UTC(2021, 4);
  const { below } = randomOf(9, 3000);
  const rows = Array.from({ length: 400 }, (_, row) => {
    const ms = Date.UTC(2024, 1) + row * 3_600_000 + below(3_600_000);
    return { id: (BigInt(ms - EPOCH) << 22n) | BigInt(below(2 ** 22)), at: new Date(ms + below(30)).toISOString() };
  });
  const found = (text: string, settings: Partial<Settings> = {}) =>
    new Inspection(new TextEncoder().encode(text), NOW).view({ ...DEFAULTS, ...settings }).found;
  const choice = { spec: 'timestamp:41,rest:22', epoch: EPOCH, unit: 'ms' };
  const agreeing = { bits: 41, unit: 'ms', choice, agreeing: 200, rows: 200 };
  const table = ['id,name,created_at', ...rows.map(({ id, at }) => `${id},x,${at}`)].join('\n');

  it('has the one that its dates give', () => {
    expect(found(table)).toMatchObject({ ...agreeing, name: 'created_at' });
    expect(found(table.replace('id,name', 'tweet_id,name'))).toMatchObject({ choice });
    const log = rows.map(({ id, at }) => `${at} INFO made the order ${id} at last`).join('\n');
    expect(found(log)).toMatchObject({ ...agreeing, name: 'the time in the line' });
    const json = rows.map(({ id, at }) => JSON.stringify({ id: String(id), at: at.replace(/\..*/, 'Z') })).join('\n');
    expect(found(json)).toMatchObject({ ...agreeing, name: 'at' });
  });

  it('is read by it, and not by a guess that has other dates', () => {
    const inspection = new Inspection(new TextEncoder().encode(table), NOW);
    const view = inspection.view(DEFAULTS);
    expect(view).toMatchObject({ layout: choice, isUnknown: false, found: { isTaken: true } });
    expect(view.current).toBeUndefined();
    expect(view.span?.first.slice(0, 10)).toBe('2024-02-01');
    const links = rows.map(({ id, at }) => `${at} https://discord.com/users/${id}`).join('\n');
    const linked = new Inspection(new TextEncoder().encode(links), NOW).view(DEFAULTS);
    expect(linked).toMatchObject({ layout: { spec: 'discord' }, found: { isTaken: false, choice } });
  });

  it('has none if another is chosen, if it is known, or if there are no dates', () => {
    expect(found(table, { layout: { spec: 'discord' } })).toBeUndefined();
    expect(found(rows.map(({ id }) => id).join('\n'))).toBeUndefined();
    const tweets = rows.map(({ id }) => `${id},${layouts.twitter.dateOf(id).toISOString()}`);
    expect(found(['id,created_at', ...tweets].join('\n'))).toBeUndefined();
  });
});
