import { timesOf, VARIANT, WIDE_ID_FORMATS, type WideIdKind, wideIdKindOf } from '../wide-ids/times.js';

/** A field of a wide id, with its value as an unsigned integer. */
export interface WideField {
  readonly name: string;
  readonly bits: number;
  readonly value: bigint;
  /** `time`: the time or a part of it, in units of the id's own. `fixed`: what kind of id it is, such as a version. */
  readonly what?: 'time' | 'fixed';
  /** The value in another notation: of a node, the MAC address. */
  readonly note?: string;
}

/** What an id is in words, and its fields with their bits, from the most significant bit on. */
type Form = readonly [name: string, fields: string];

/** What is around the version and the variant. */
const inThree = (high: string, mid: string, low: string) => `${high}:48,version:4,${mid}:12,variant:2,${low}:62`;

/** RFC 9562, sections 5.1 to 5.8, by version; of version 2, DCE 1.1, "Authentication and Security Services", 11.5.1.1. */
const UUIDS: { readonly [version: number]: Form } = {
  1: ['UUID version 1', 'time_low:32,time_mid:16,version:4,time_high:12,variant:2,clock_seq:14,node:48'],
  2: [
    'UUID of version 2 (DCE security)',
    'local_id:32,time_mid:16,version:4,time_high:12,variant:2,clock_seq:6,local_domain:8,node:48',
  ],
  3: ['UUID version 3 (MD5 of a name)', inThree('md5_high', 'md5_mid', 'md5_low')],
  4: ['UUID version 4 (random)', inThree('random_a', 'random_b', 'random_c')],
  5: ['UUID version 5 (SHA-1 of a name)', inThree('sha1_high', 'sha1_mid', 'sha1_low')],
  6: ['UUID version 6', 'time_high:32,time_mid:16,version:4,time_low:12,variant:2,clock_seq:14,node:48'],
  7: ['UUID version 7', inThree('unix_ts_ms', 'rand_a', 'rand_b')],
  8: ['UUID version 8 (custom)', inThree('custom_a', 'custom_b', 'custom_c')],
};

/** After the sources that src/wide-ids/times.ts names. */
const OTHERS: { readonly [K in Exclude<WideIdKind, 'uuid'>]: Form } = {
  ulid: ['ULID', 'time:48,randomness:80'],
  objectid: ['MongoDB ObjectId', 'time:32,random:40,counter:24'],
  ksuid: ['KSUID', 'time:32,payload:128'],
  xid: ['xid', 'time:32,machine:24,process:16,counter:24'],
};

/** RFC 9562, sections 4.1, 5.9 and 5.10. The variant of Apollo has one bit, those of Microsoft and of the future have three. */
function formOfUuid(uuid: bigint): Form {
  if (uuid === 0n) return ['nil UUID', 'nil:128'];
  if (uuid === 2n ** 128n - 1n) return ['max UUID', 'max:128'];
  const bits = (uuid >> 63n) & 1n ? 3 : 1;
  const version = versionOf(uuid);
  if (version === undefined) return ['UUID of another variant', `unknown_a:64,variant:${bits},unknown_b:${64 - bits}`];
  return UUIDS[version] ?? [`UUID of version ${version} (not defined)`, inThree('unknown_a', 'unknown_b', 'unknown_c')];
}

/** The version of a UUID, 0 to 15; undefined if it is of another variant. */
const versionOf = (uuid: bigint): number | undefined =>
  Number((uuid >> 62n) & 3n) === VARIANT ? Number((uuid >> 76n) & 15n) : undefined;

/**
 * What a wide id is in words, and its fields from the most significant bit on. They add up to 128, 96 or 160 bits.
 * @param text an id of the kind, as {@link wideIdKindOf} finds it
 */
export function wideFieldsOf(text: string, kind: WideIdKind) {
  const id = bitsOf(text, kind);
  const [name, form] = kind === 'uuid' ? formOfUuid(id) : OTHERS[kind];
  const places = form.split(',').map((field) => field.split(':'));
  const bits = places.reduce((sum, [, width]) => sum + Number(width), 0);
  let below = bits;
  const fields = places.map(([field, width]) => {
    below -= Number(width);
    return fieldOf(field, Number(width), BigInt.asUintN(Number(width), id >> BigInt(below)));
  });
  return { name, bits, fields };
}

function fieldOf(name: string, bits: number, value: bigint): WideField {
  const field = { name, bits, value };
  if (/^(time|unix_ts)/.test(name)) return { ...field, what: 'time' };
  if (/^(version|variant|nil|max)$/.test(name)) return { ...field, what: 'fixed' };
  // A multicast bit says that a node is a random number: RFC 9562, section 6.10.
  if (name !== 'node' || (value >> 40n) & 1n) return field;
  const octets = value.toString(16).padStart(12, '0');
  return { ...field, note: `MAC ${octets.replace(/..(?=.)/g, '$&:')}` };
}

function bitsOf(text: string, kind: WideIdKind): bigint {
  const { digits, radix } = WIDE_ID_FORMATS[kind];
  if (radix === 16) return BigInt(`0x${text.replaceAll('-', '')}`); // five times as fast
  const bits = Array.from(text).reduce((sum, digit) => sum * BigInt(radix) + BigInt(digits[digit.charCodeAt(0)]), 0n);
  return kind === 'xid' ? bits >> 4n : bits; // the text of an xid has 4 bits more, which are zeros
}

// A ULID kept as a UUID has random bits where a UUID has its version and variant. Its first 48 bits are a time from 2016,
// when ULIDs began, to now, but so are those of 1 random number in 800 (2026). Its version and variant tell more:
// - `ulid`, 58 of 64 ULIDs: no UUID has them, or they say version 1 or 6 of a time before 1990 or in the future. A UUID looks
//   so only if it is of version 1 and its clock was that wrong, in half a second of every 7 minutes
// - `either`, 5 of 64: a version that has no time. Random UUIDs are among them
// - `uuid`, 1 of 64: version 7, or version 1 of a time that can be
type Likeness = 'ulid' | 'either' | 'uuid';

const FIRST_MS = 1451606400000; // 2016-01-01
const FIRST_OWN_MS = 631152000000; // 1990-01-01
const AHEAD_MS = 172_800_000; // two days, because clocks differ

/** What a UUID looks like that may be a ULID; undefined if its time as one is none of ULIDs. */
function likenessOf(text: string, now: number): Likeness | undefined {
  if (wideIdKindOf(text) !== 'uuid') return undefined;
  const uuid = bitsOf(text, 'uuid');
  const ms = Number(uuid >> 80n);
  const last = now + AHEAD_MS;
  if (ms < FIRST_MS || ms > last) return undefined;
  const version = versionOf(uuid) ?? 0;
  if ([2, 3, 4, 5, 8].includes(version)) return 'either';
  if (![1, 6, 7].includes(version)) return 'ulid';
  const [own] = timesOf([text], 'uuid');
  return own >= FIRST_OWN_MS && own <= last ? 'uuid' : 'ulid';
}

/**
 * Whether texts are ULIDs kept as UUIDs: all have a time of ULIDs, one or more look like nothing else, and at most half look
 * like UUIDs. Never true of UUIDs of versions 1 to 8 from clocks that are right. Of lists of n random numbers without a
 * version, such as MD5 sums, 1 in 800^n is taken for ULIDs. Of single ULIDs 1 in 10 is not found, of pairs 1 in 100, and of
 * lists of four 1 in 10,000.
 */
export function areUlidsInUuids(texts: readonly string[], now: number): boolean {
  const counts = { ulid: 0, either: 0, uuid: 0 };
  for (const text of texts) {
    const like = likenessOf(text, now);
    if (like === undefined) return false;
    counts[like]++;
  }
  return counts.ulid > 0 && counts.uuid <= texts.length / 2;
}
