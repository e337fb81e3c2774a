import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guess } from '../../src/guess/index.js';
import { parseId } from '../../src/index.js';

interface LabelledId {
  /** Decimal, or the 13 characters of a TID. */
  readonly id: string;
  readonly service: string;
  readonly group?: string;
}

// Ids that people have published, each with where: services are told by that, never by the number.
const IDS: LabelledId[] = JSON.parse(readFileSync('test/vectors/labelled-ids.json', 'utf8'));

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

function columns(least: number): LabelledId[][] {
  const names = new Set(IDS.flatMap(({ group }) => group ?? []));
  return [...names].map((name) => IDS.filter(({ group }) => group === name)).filter((ids) => ids.length >= least);
}

describe('the guess of where ids come from', () => {
  it('has many ids to be measured by', () => {
    expect(IDS.length).toBeGreaterThan(1000);
    expect(new Set(IDS.map(({ id }) => id)).size).toBe(IDS.length);
    expect(columns(5).length).toBeGreaterThan(50);
  });

  it('is right for 70 % of single ids, and for half of those of each service; the right one is among five for 99 %', () => {
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
