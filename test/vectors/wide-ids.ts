// Known ids of more than 64 bits with their times. Each group says where it comes from; "recomputed" means: by integer
// arithmetic outside this library.

export type WideKind = 'uuid' | 'ulid' | 'objectid' | 'ksuid' | 'xid';

export interface WideIdVector {
  readonly kind: WideKind;
  readonly text: string;
  /** Unix milliseconds. */
  readonly ms: number;
}

const at = (date: string): number => Date.parse(date);

export const WIDE_ID_VECTORS: readonly WideIdVector[] = [
  // RFC 9562, appendices A.1, A.5 and A.6: all of 2022-02-22 14:22:22 -05:00.
  { kind: 'uuid', text: 'C232AB00-9414-11EC-B3C8-9F6BDECED846', ms: at('2022-02-22T19:22:22Z') },
  { kind: 'uuid', text: '1EC9414C-232A-6B00-B3C8-9F6BDECED846', ms: at('2022-02-22T19:22:22Z') },
  { kind: 'uuid', text: '017F22E2-79B0-7CC3-98C4-DC0C0C07398F', ms: at('2022-02-22T19:22:22Z') },
  // bobvawter, "Version 1 UUID to Timestamp in CockroachDB or PostgreSQL" (gist, 2023): 2023-01-31 16:14:13.000701+00.
  { kind: 'uuid', text: '4d1e53e2-a182-11ed-a4bf-3f161938a1c4', ms: at('2023-01-31T16:14:13Z') + 0.701 },
  // By the definition: the first and the last time of each version. 60 bits of 100 ns from 1582 end in 5236.
  { kind: 'uuid', text: '00000000-0000-1000-8000-000000000000', ms: at('1582-10-15T00:00:00Z') },
  { kind: 'uuid', text: '00000000-0000-6000-bfff-ffffffffffff', ms: at('1582-10-15T00:00:00Z') },
  { kind: 'uuid', text: '13814000-1dd2-11b2-8000-000000000000', ms: 0 },
  { kind: 'uuid', text: '1b21dd21-3814-6000-8000-000000000000', ms: 0 },
  { kind: 'uuid', text: '00000000-0000-7000-8000-000000000000', ms: 0 },
  { kind: 'uuid', text: 'ffffffff-ffff-7fff-bfff-ffffffffffff', ms: 2 ** 48 - 1 },

  // README of ulid on npm, "Decode Time"; ulid/spec README.md, "Overflow Errors when Parsing Base32 Strings".
  { kind: 'ulid', text: '01ARYZ6S41TSV4RRFFQ69G5FAV', ms: 1469918176385 },
  { kind: 'ulid', text: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', ms: 281474976710655 },
  { kind: 'ulid', text: '00000000000000000000000000', ms: 0 },

  // MongoDB manual, "ObjectId.getTimestamp()"; the two others are in its other pages, recomputed.
  { kind: 'objectid', text: '507c7f79bcf86cd7994f6c0e', ms: at('2012-10-15T21:26:17Z') },
  { kind: 'objectid', text: '507f1f77bcf86cd799439011', ms: at('2012-10-17T21:13:27Z') },
  { kind: 'objectid', text: '507f191e810c19729de860ea', ms: at('2012-10-17T20:46:22Z') },
  { kind: 'objectid', text: 'ffffffffffffffffffffffff', ms: (2 ** 32 - 1) * 1000 },

  // segmentio/ksuid README.md, with timestamps 107608047, 107610780 and 107611700; the fourth is there without one,
  // recomputed. The last is the largest of all: 2^160 - 1.
  { kind: 'ksuid', text: '0ujtsYcgvSTl8PAuAdqWYSMnLOv', ms: at('2017-10-10T04:00:47Z') },
  { kind: 'ksuid', text: '0ujzPyRiIAffKhBux4PvQdDqMHY', ms: at('2017-10-10T04:46:20Z') },
  { kind: 'ksuid', text: '0uk1Hbc9dQ9pxyTqJ93IUrfhdGq', ms: 1507611700000 },
  { kind: 'ksuid', text: '0ujsszwN8NRY24YaXiTIE2VWDTS', ms: at('2017-10-10T03:52:37Z') },
  { kind: 'ksuid', text: '000000000000000000000000000', ms: 1400000000000 },
  { kind: 'ksuid', text: 'aWgEPTl1tmebfsQzFP4bxwgy80V', ms: (1400000000 + 2 ** 32 - 1) * 1000 },

  // rs/xid id_test.go: IDs, of which the second is the nil id, and TestPadding, recomputed.
  { kind: 'xid', text: '9m4e2mr0ui3e8a215n4g', ms: 1300816219000 },
  { kind: 'xid', text: '00000000000000000000', ms: 0 },
  { kind: 'xid', text: 'c6e52g2mrqcjl44hf170', ms: at('2021-11-23T02:26:08Z') },
  { kind: 'xid', text: 'vvvvvvvvvvvvvvvvvvvg', ms: (2 ** 32 - 1) * 1000 },
];

/** UUIDs that have no time, with their version, or none if the variant is not that of RFC 9562. */
export const UUIDS_WITHOUT_TIME: readonly { readonly text: string; readonly version?: number }[] = [
  // RFC 9562, appendices A.2 to A.4, B.1 and B.2; sections 5.9 and 5.10: nil and max.
  { text: '5df41881-3aed-3515-88a7-2f4a814cf09e', version: 3 },
  { text: '919108f7-52d1-4320-9bac-f847db4148a8', version: 4 },
  { text: '2ed6657d-e927-568b-95e1-2665a8aea6a2', version: 5 },
  { text: '2489E9AD-2EE2-8E00-8EC9-32D5F69181C0', version: 8 },
  { text: '5c146b14-3c52-8afd-938a-375d0df1fbf6', version: 8 },
  { text: '00000000-0000-0000-0000-000000000000' },
  { text: 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF' },
  // The first of RFC 9562, with another variant, and with version 2, 0 and f.
  { text: 'C232AB00-9414-11EC-73C8-9F6BDECED846' },
  { text: 'C232AB00-9414-11EC-C3C8-9F6BDECED846' },
  { text: 'C232AB00-9414-11EC-E3C8-9F6BDECED846' },
  { text: 'C232AB00-9414-21EC-B3C8-9F6BDECED846', version: 2 },
  { text: 'C232AB00-9414-01EC-B3C8-9F6BDECED846', version: 0 },
  { text: 'C232AB00-9414-F1EC-B3C8-9F6BDECED846', version: 15 },
];
