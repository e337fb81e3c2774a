import { ulidToUUID } from 'ulid';
import { v1, v6 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { areUlidsInUuids } from '../../src/tokens/wide-fields.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { uuidOf } from './uuids.js';

const NOW = Date.UTC(2026, 10, 29);
const DAY = 86_400_000;
const FIRST = Date.UTC(2016, 0);
const FIRST_OWN = Date.UTC(1990, 0);

/** From readers who asked what these are: a ULID that looks like version 6, and one of version 0. */
const LIKE_SIXTH = '018f91e5-3b9e-6970-8a4b-26bdc784d0e3';
const VERSION_0 = '019abd34-9346-01db-f2a8-71d3b6e53090';
/** The ULIDs in test/node/uuid.spec.ts of ulid on npm. */
const OF_PACKAGE = [
  '01563DF3-6481-D676-4C61-EFB99302BD5B',
  '0195C9A1-0E22-1027-43F4-0B1EC21025B7',
  '0195C9A4-2E32-C014-5F4F-A7CEF5BE83D5',
  '0195C9A4-74CC-5149-BCC4-0A556A0CF19D',
];

/** Whether a text twice beside a ULID does not keep the list from being ULIDs. */
const mayBeUlid = (text: string) => areUlidsInUuids([VERSION_0, text, text], NOW);

/** A UUID of version 1, of a time in the 429 seconds about `ms`: its text begins with the lower 32 bits of the time. */
function firstVersion(ms: number, low: number): string {
  const ticks = ((BigInt(ms) + 12219292800000n) * 10000n) >> 32n;
  const count = ((ticks << 32n) | BigInt(low)).toString(16).padStart(15, '0');
  return `${count.slice(7)}-${count.slice(3, 7)}-1${count.slice(0, 3)}-8000-000000000000`;
}

describe('a text may be a ULID that is kept as a UUID', () => {
  it.each([LIKE_SIXTH, VERSION_0, ...OF_PACKAGE])('%s', (text) => {
    expect(mayBeUlid(text)).toBe(true);
    expect(mayBeUlid(text.replaceAll('-', '').toLowerCase())).toBe(true);
  });

  it('of 2016 to two days from now', () => {
    const at = (ms: number) => mayBeUlid(uuidOf(BigInt(ms) << 80n));
    expect([FIRST - 1, FIRST, NOW + 2 * DAY, NOW + 2 * DAY + 1].map(at)).toEqual([false, true, true, false]);
  });

  it.each([
    ...['', 'no id', '01ARYZ6S41TSV4RRFFQ69G5FAV', '507f1f77bcf86cd799439011'],
    // RFC 9562, appendices A and B, and section 6.6.
    ...['C232AB00-9414-11EC-B3C8-9F6BDECED846', '5df41881-3aed-3515-88a7-2f4a814cf09e'],
    ...['919108f7-52d1-4320-9bac-f847db4148a8', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    ...['1EC9414C-232A-6B00-B3C8-9F6BDECED846', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'],
    ...['2489E9AD-2EE2-8E00-8EC9-32D5F69181C0', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
    ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    // What people make up.
    ...['01234567-89ab-cdef-0123-456789abcdef', '11111111-1111-1111-1111-111111111111'],
    ...['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-C000-000000000046'],
  ])('%s is none', (text) => {
    expect(mayBeUlid(text)).toBe(false);
    expect(areUlidsInUuids([LIKE_SIXTH, VERSION_0, text, LIKE_SIXTH], NOW)).toBe(/^017f22/i.test(text));
  });

  it('of version 1, if its own time is before 1990 or in the future', () => {
    const at = (date: string) => firstVersion(Date.parse(date), 0x01900000);
    expect(mayBeUlid(at('1989-12-31'))).toBe(true);
    expect(mayBeUlid(at('1990-01-02'))).toBe(false);
    expect(mayBeUlid(at('2026-11-28'))).toBe(false);
    expect(mayBeUlid(at('2026-12-02'))).toBe(true);
  });
});

// Lists of 1 to 8 texts, in the full run 100,000 of each kind.

const LISTS = scaled(100_000, 20);
const random = randomU64s(2 * 8 * LISTS);

/** The bits with a version, and the variant of RFC 9562. */
const withVersion = (value: bigint, version: bigint) =>
  (value & ~((15n << 76n) | (3n << 62n))) | (version << 76n) | (2n << 62n);

/** How many lists are taken for ULIDs. */
function taken(textOf: (bits: bigint, i: number) => string, sizes = [1, 2, 3, 4, 5, 6, 7, 8]): number {
  let count = 0;
  for (let list = 0; list < LISTS; list++) {
    const size = sizes[list % sizes.length];
    const texts = Array.from({ length: size }, (_, i) => {
      const at = 2 * (8 * list + i);
      return textOf((random[at] << 64n) | random[at + 1], i);
    });
    if (areUlidsInUuids(texts, NOW)) count++;
  }
  return count;
}

/** A time from 2016 to now in the first 48 bits, and the rest as it was. */
const atAnyTime = (bits: bigint) =>
  ((BigInt(FIRST) + ((bits >> 80n) % BigInt(NOW - FIRST))) << 80n) | BigInt.asUintN(80, bits);

describe('lists', () => {
  it.each([2n, 3n, 4n, 5n, 8n])('of UUIDs of version %d are never taken for ULIDs', (version) => {
    expect(taken((bits) => uuidOf(withVersion(bits, version)))).toBe(0);
  });

  it('of UUIDs of versions without a time are not taken for ULIDs, even if all begin as ULIDs do', () => {
    expect(taken((bits, i) => uuidOf(withVersion(atAnyTime(bits), [4n, 5n, 3n, 8n][i % 4])))).toBe(0);
  });

  it('of UUIDs of version 7 are never taken for ULIDs', () => {
    expect(taken((bits) => uuidOf(withVersion(atAnyTime(bits), 7n)))).toBe(0);
  });

  it('of UUIDs of versions 7 and 4 are never taken for ULIDs', () => {
    expect(taken((bits, i) => uuidOf(withVersion(atAnyTime(bits), i % 2 === 0 ? 7n : 4n)))).toBe(0);
  });

  it('of UUIDs of versions 1 and 6 are never taken for ULIDs', () => {
    const optionsOf = (bits: bigint, i: number) => ({
      msecs: FIRST_OWN + Number((bits >> 64n) % BigInt(NOW - FIRST_OWN)),
      nsecs: Number(bits % 10000n),
      random: randomBytes(16, i),
    });
    expect(taken((bits, i) => v1(optionsOf(bits, i)))).toBe(0);
    expect(taken((bits, i) => v6(optionsOf(bits, i)))).toBe(0);
  });

  it('of UUIDs of version 1 from the half second that begins as ULIDs do are not taken for them', () => {
    const [first, last] = [FIRST, NOW].map((ms) => Math.ceil(ms / 65536));
    const textOf = (bits: bigint) => {
      const ms = FIRST_OWN + DAY + Number((bits >> 64n) % BigInt(NOW - FIRST_OWN - DAY));
      return firstVersion(ms, first + Number(bits % BigInt(last - first)));
    };
    expect(mayBeUlid(textOf(0n).replace(/-1(...)-8/, '-0$1-8'))).toBe(true);
    expect(taken(textOf)).toBe(0);
  });

  it('of ULIDs are found: 9 of 10 if it is one ULID, and nearly all of four or more', () => {
    const ofUlid = (bits: bigint) => uuidOf(atAnyTime(bits));
    const missed = (size: number) => LISTS - taken(ofUlid, [size]);
    expect(missed(1) / LISTS).toBeLessThan(1 / 9); // 6 in 64
    expect(missed(2) / LISTS).toBeLessThan(1 / 70); // 1 in 114
    expect(missed(4) / LISTS).toBeLessThan(1 / 500); // 1 in 10,000
    expect(missed(8)).toBe(0);
  });

  it('of ULIDs by the package are found', () => {
    expect(areUlidsInUuids(OF_PACKAGE, NOW)).toBe(true);
    expect(areUlidsInUuids(['01ARYZ6S41TSV4RRFFQ69G5FAV', '01BX5ZZKBKACTAV9WEVGEMMVRZ'].map(ulidToUUID), NOW)).toBe(
      true,
    );
  });

  it('of four ULIDs may have one that says version 7', () => {
    const seventh = '019abd34-9346-71db-b2a8-71d3b6e53090';
    expect(areUlidsInUuids([VERSION_0, seventh, LIKE_SIXTH, VERSION_0], NOW)).toBe(true);
    expect(areUlidsInUuids([VERSION_0, seventh], NOW)).toBe(true);
    expect(areUlidsInUuids([VERSION_0, seventh, seventh], NOW)).toBe(false);
    expect(areUlidsInUuids([seventh], NOW)).toBe(false);
    expect(areUlidsInUuids([], NOW)).toBe(false);
  });
});
