import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guess } from '../../src/guess/index.js';
import { guessRows } from '../../src/guess/rows.js';
import { layouts, parseId } from '../../src/index.js';
import { randomU64s } from '../support/random.js';

interface LabelledId {
  readonly id: string;
  readonly service: string;
  readonly group?: string;
}

const NOW = Date.UTC(2026, 10, 23);
const SETS = ['labelled-ids', 'labelled-ids-2', 'labelled-ids-3'];
const read = (name: string): LabelledId[] => JSON.parse(readFileSync(`test/vectors/${name}.json`, 'utf8'));
/** Posts on Threads are numbered as those on Instagram, out of one sequence. */
const nameOf = (service: string) => (service === 'threads' ? 'instagram' : service);

const TWEET = 1541815603606036480n;
const DISCORD = 1116551844710330458n;
const tweets = Array.from({ length: 1000 }, (_, i) => TWEET + (BigInt(i) << 32n));

function dice() {
  let last = 1;
  return (below: number) => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((last / 2 ** 32) * below);
  };
}

function rowsOf(ids: readonly bigint[], clues = {}) {
  const { services, of, sure, guess: found } = guessRows(BigUint64Array.from(ids), { now: NOW, ...clues });
  return { services: services.map(({ name }) => name), of: [...of], sure, found };
}

describe('a column of one service', () => {
  it.each(SETS)('is not split, in the set %s', (name) => {
    const ids = read(name);
    const groups = [...new Set(ids.flatMap(({ group }) => group ?? []))].map((name) =>
      ids.filter(({ group }) => group === name),
    );
    for (const group of groups.filter(({ length }) => length >= 3)) {
      const isText = !/^\d+$/.test(group[0].id);
      const column = BigUint64Array.from(group, ({ id }) => (isText ? parseId(id, 'sortable32') : BigInt(id)));
      const clues = { now: NOW, format: isText ? ('sortable32' as const) : undefined };
      const one = guess(column, clues);
      const rows = guessRows(column, clues);
      const names = rows.services.map((service) => service.name);
      if (one.isKnown) expect(names).toEqual([one.services[0].service.name]);
      else expect([[], [nameOf(group[0].service)]]).toContainEqual(names);
    }
  });

  it('has all rows but those that do not fit its layout, and the guess of a column', () => {
    const { services, of, sure, found } = rowsOf(tweets);
    expect([services, sure]).toEqual([['twitter'], [true]]);
    expect(of.every((row) => row === 1)).toBe(true);
    expect(found).toMatchObject({ isKnown: true, isSure: true, isMixed: false });
    const pins = Array.from({ length: 8 }, (_, i) =>
      layouts.pinterest.pack({ shard: 3000 * i, type: 1, local: 7_075_733 + i }),
    );
    expect(rowsOf([...pins, 2n ** 63n])).toMatchObject({ services: ['pinterest'], of: [1, 1, 1, 1, 1, 1, 1, 1, 0] });
  });

  it('may have a few other numbers', () => {
    const others = Array.from({ length: 20 }, (_, i) => BigInt(1000 + i));
    const { services, of } = rowsOf([...tweets, ...others]);
    expect([services, of.every((row) => row === 1)]).toEqual([['twitter'], true]);
  });

  it('is none if its numbers are not ids of a known service, which may be mixed', () => {
    const hashes = [...randomU64s(1000, 5)];
    const counted = hashes.map((_, i) => BigInt(1000 + i));
    const times = hashes.map((_, i) => 1_700_000_000_000n + BigInt(i) * 86_400n);
    expect(rowsOf([...hashes, ...counted]).sure).not.toContain(true);
    for (const ids of [hashes, times]) {
      expect(rowsOf(ids)).toMatchObject({ services: [], sure: [] });
      expect(rowsOf(ids).of.every((row) => row === 0)).toBe(true);
    }
  });
});

describe('a column of several services', () => {
  it('is of two even if it has two ids', () => {
    expect(rowsOf([TWEET, DISCORD])).toMatchObject({ services: ['discord', 'twitter'], of: [2, 1] });
    expect(rowsOf([TWEET, DISCORD]).found).toMatchObject({ isMixed: true, isSure: false });
  });

  it('has other numbers beside them', () => {
    const others = Array.from({ length: 500 }, (_, i) => BigInt(1000 + i));
    const { services, of, sure } = rowsOf([...tweets, ...others]);
    expect([services, sure]).toEqual([['twitter'], [true]]);
    expect(of).toEqual([...tweets.map(() => 1), ...others.map(() => 0)]);
  });

  it('is of that which words around it name', () => {
    expect(rowsOf([TWEET, DISCORD], { words: ['tweet_id'] })).toMatchObject({ services: ['twitter'], of: [1, 1] });
  });

  it('has the service of each row whose date is beside it', () => {
    const column = [TWEET, DISCORD].map((id, i) => {
      const ms = [layouts.twitter, layouts.discord][i].dateOf(id).getTime();
      return { from: ms, to: ms };
    });
    expect(rowsOf([TWEET, DISCORD], { dates: [column] })).toMatchObject({ of: [2, 1], sure: [true, true] });
  });

  const MIXES = [
    'discord twitter',
    'twitter instagram',
    'tiktok linkedin',
    'discord twitter instagram',
    'mastodon pinterest discord',
  ];
  it.each(SETS)('has nearly all rows right where it is sure, in random mixes of the set %s', (name) => {
    const ids = read(name).filter(({ id }) => /^\d+$/.test(id));
    const random = dice();
    const total = { rows: 0, right: 0, sure: 0, sureRight: 0 };
    for (const mix of MIXES) {
      const parts = mix.split(' ').map((service) => ids.filter((one) => nameOf(one.service) === service));
      const count = { rows: 0, right: 0, sure: 0, sureRight: 0 };
      for (let list = 0; list < 5; list++) {
        const some = Array.from({ length: 100 }, (_, i) => {
          const part = parts[i < parts.length ? i : random(parts.length)];
          return part[random(part.length)];
        });
        const { services, of, sure } = rowsOf(some.map(({ id }) => BigInt(id)));
        some.forEach(({ service }, row) => {
          const isRight = nameOf(services[of[row] - 1] ?? '') === nameOf(service) ? 1 : 0;
          const isSure = sure[of[row] - 1] ? 1 : 0;
          count.rows++;
          count.right += isRight;
          count.sure += isSure;
          count.sureRight += isSure * isRight;
        });
        for (const [i, service] of services.entries()) if (sure[i]) expect(mix.split(' ')).toContain(nameOf(service));
      }
      console.log(`${name}, ${mix}: ${JSON.stringify(count)}`);
      expect(count.right / count.rows, mix).toBeGreaterThan(0.92);
      for (const key of ['rows', 'right', 'sure', 'sureRight'] as const) total[key] += count[key];
    }
    expect(total.sureRight / total.sure).toBeGreaterThan(0.98);
  });

  const COMMON = ['discord', 'twitter', 'instagram', 'tiktok', 'mastodon', 'pinterest', 'linkedin'];
  it.each(SETS.slice(0, 2))('is told row by row if it is short, in random lists of the set %s', (name) => {
    const ids = read(name).filter(({ id }) => /^\d+$/.test(id));
    const random = dice();
    const count = { rows: 0, right: 0 };
    for (let list = 0; list < 100; list++) {
      const first = random(COMMON.length);
      const names = [...COMMON.slice(first), ...COMMON.slice(0, first)].slice(0, [2, 3, 6][list % 3]);
      const parts = names.map((service) => ids.filter((one) => nameOf(one.service) === service));
      const some = Array.from({ length: parts.length + random(7) }, (_, i) => {
        const part = parts[i < parts.length ? i : random(parts.length)];
        return part[random(part.length)];
      });
      const { services, of } = rowsOf(some.map(({ id }) => BigInt(id)));
      count.rows += some.length;
      count.right += some.filter(({ service }, row) => nameOf(services[of[row] - 1] ?? '') === nameOf(service)).length;
    }
    console.log(`${name}, short lists: ${JSON.stringify(count)}`);
    expect(count.right / count.rows).toBeGreaterThan(0.9);
  });

  it('may have a million rows', () => {
    const ids = BigUint64Array.from(
      { length: 1_000_000 },
      (_, i) => (i % 2 === 0 ? TWEET : DISCORD) + (BigInt(i) << 31n),
    );
    const before = process.cpuUsage();
    const { services, of } = guessRows(ids, { now: NOW });
    const { user, system } = process.cpuUsage(before);
    console.log(`a million rows of two services: ${((user + system) / 1e6).toFixed(2)} s of one core`);
    expect(services.map(({ name }) => name).sort()).toEqual(['discord', 'twitter']);
    const isRight = of.filter((number, row) => services[number - 1]?.name === ['twitter', 'discord'][row % 2]);
    expect(isRight.length / ids.length).toBeGreaterThan(0.98);
  });
});
