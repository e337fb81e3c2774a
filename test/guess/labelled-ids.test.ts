import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guess } from '../../src/guess/index.js';
import { parseId, xxh64 } from '../../src/index.js';

interface LabelledId {
  /** Decimal, or the 13 characters of a TID. */
  readonly id: string;
  readonly service: string;
  readonly group?: string;
}

/** Whoever changes the guess may look at the ids of `tune`, and only measures it by those of `hold`. */
interface HalvedId extends LabelledId {
  readonly kind: string;
  readonly source: string;
  readonly half: Half;
}

const HALVES = ['tune', 'hold'] as const;
type Half = (typeof HALVES)[number];

function read<Id>(name: string): Id[] {
  return JSON.parse(readFileSync(`test/vectors/${name}.json`, 'utf8'));
}

// Ids that people have published, each with where: services are told by that, never by the number. The guess was made with
// the first file in view.
const IDS = read<LabelledId>('labelled-ids');
const MORE = read<HalvedId>('labelled-ids-2');
/** Numbers that are not ids of a known service: published ones, and constructed ones with how they were made. */
const NONE = read<HalvedId>('no-known-ids');

/** The first seed by which each service with 20 ids or more has 30 to 70 % of them in a half, and all ids 45 to 55 %. */
const SEED = 422n;

/** By the lowest bit of a hash of the group, or of the id if it is in no group. */
const halfOf = ({ group, id }: LabelledId): Half => HALVES[Number(xxh64(group ?? id, SEED) & 1n)];

const NOW = Date.UTC(2026, 10, 23);
const CHIPS = 5; // the answer, and four beside it

/** Posts on Threads are numbered as those on Instagram, out of one sequence. */
const nameOf = (service: string) => (service === 'threads' ? 'instagram' : service);

/** The services for a column, without what the page knows from words around it. */
function guessed(some: readonly LabelledId[]): string[] {
  const isText = !/^\d+$/.test(some[0].id);
  const ids = some.map(({ id }) => (isText ? parseId(id, 'sortable32') : BigInt(id)));
  const words = isText ? ['at://'] : []; // what is written in these letters is read as TIDs
  const names = guess(BigUint64Array.from(ids), { now: NOW, words }).services.map(({ service }) =>
    nameOf(service.name),
  );
  return [...new Set(names)];
}

function columns(least: number, of: readonly LabelledId[] = IDS): LabelledId[][] {
  const names = new Set(of.flatMap(({ group }) => group ?? []));
  return [...names].map((name) => of.filter(({ group }) => group === name)).filter((ids) => ids.length >= least);
}

const percent = (some: number, of: number) => `${some} of ${of} (${((100 * some) / of).toFixed(1)} %)`;

/** How many single ids and columns are guessed right, each with how many there are. */
function measured(ids: readonly LabelledId[]): { readonly [what: string]: readonly [right: number, of: number] } {
  const places = ids.map((one) => guessed([one]).indexOf(nameOf(one.service)));
  const among = (chips: number) => places.filter((place) => place >= 0 && place < chips).length;
  const rightColumns = (least: number) => {
    const some = columns(least, ids);
    const right = some.filter((column) => guessed(column)[0] === nameOf(column[0].service));
    return [right.length, some.length] as const;
  };
  return {
    first: [among(1), ids.length],
    'among five': [among(CHIPS), ids.length],
    'columns of 3 or more': rightColumns(3),
    'columns of 5 or more': rightColumns(5),
  };
}

/** The answers of the guess to numbers that are not known ids: how many are called an id with how much probability. */
function named(ids: readonly HalvedId[]): string {
  const top = ids.map(({ id }) => guess(BigUint64Array.of(BigInt(id)), { now: NOW }).services[0]);
  const rows = [0.5, 0.9, 0.99].map((least) => {
    const sure = top.filter(({ probability }) => probability >= least);
    const counts = new Map<string, number>();
    for (const { service } of sure) counts.set(service.name, (counts.get(service.name) ?? 0) + 1);
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    const list = sorted.map(([name, count]) => `${name} ${count}`).join(', ');
    return `  ${percent(sure.length, ids.length)} named with a probability of ${least} or more: ${list}`;
  });
  return rows.join('\n');
}

describe('the guess of where ids come from', () => {
  it('has many ids to be measured by', () => {
    expect(IDS.length).toBeGreaterThan(1000);
    expect(new Set(IDS.map(({ id }) => id)).size).toBe(IDS.length);
    expect(columns(5).length).toBeGreaterThan(50);
  });

  it('has ids of more sources and numbers of none in two halves, each id once', () => {
    const all = [...IDS, ...MORE, ...NONE].map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
    expect(MORE.length).toBeGreaterThanOrEqual(500);
    expect(NONE.length).toBeGreaterThanOrEqual(300);
    expect(NONE.every(({ service }) => service === 'none')).toBe(true);
    for (const one of [...MORE, ...NONE]) expect(one.half, one.id).toBe(halfOf(one));
  });

  it.each([
    ['tune', { first: 0.95, 'among five': 0.99, 'columns of 3 or more': 1, 'columns of 5 or more': 1 }],
    ['hold', { first: 0.94, 'among five': 0.99, 'columns of 3 or more': 0.9, 'columns of 5 or more': 0.86 }],
  ] as const)('is as right as the guide says for ids of other sources, in half %s', (half, least) => {
    const found = measured(MORE.filter((one) => one.half === half));
    for (const [what, [right, of]] of Object.entries(found)) console.log(`${half}, ${what}: ${percent(right, of)}`);
    console.log(`${half}, not known ids:\n${named(NONE.filter((one) => one.half === half))}`);
    for (const [what, share] of Object.entries(least)) {
      const [right, of] = found[what];
      expect(right / of, what).toBeGreaterThanOrEqual(share);
    }
  });

  it.each(HALVES)('names few numbers that are not known ids as a fact, in half %s', (half) => {
    const numbers = NONE.filter((one) => one.half === half);
    const facts = numbers.filter(({ id }) => guess(BigUint64Array.of(BigInt(id)), { now: NOW }).isSure);
    console.log(`${half}: ${percent(facts.length, numbers.length)} named as a fact`);
    expect(facts.length / numbers.length, facts.map(({ id }) => id).join()).toBeLessThan(0.05);
  });

  it('is right for 90 % of single ids, and for 85 % of those of each service; the right one is among five for 99 %', () => {
    const places = IDS.map((one) => guessed([one]).indexOf(nameOf(one.service)));
    const share = (is: (place: number, i: number) => boolean) => places.filter(is).length / IDS.length;
    console.log(
      `first: ${(100 * share((place) => place === 0)).toFixed(1)} %, among ${CHIPS}: ${(100 * share((place) => place < CHIPS)).toFixed(1)} %`,
    );
    expect(share((place) => place === 0)).toBeGreaterThan(0.9);
    expect(share((place) => place >= 0 && place < CHIPS)).toBeGreaterThan(0.99);
    for (const service of [
      'discord',
      'twitter',
      'instagram',
      'mastodon',
      'tiktok',
      'linkedin',
      'pinterest',
      'atproto',
    ]) {
      const right = IDS.flatMap((one, i) => (one.service === service ? [places[i] === 0] : []));
      expect(right.filter(Boolean).length / right.length, service).toBeGreaterThan(0.85);
    }
  });

  it('is right for 98 % of columns', () => {
    for (const least of [3, 5]) {
      const some = columns(least);
      const wrong = some.filter((ids) => guessed(ids)[0] !== nameOf(ids[0].service));
      expect(wrong.length / some.length, wrong.map((ids) => ids[0]?.group).join()).toBeLessThan(0.02);
    }
  });
});
