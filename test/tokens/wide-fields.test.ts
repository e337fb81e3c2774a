import fc from 'fast-check';
import KSUID from 'ksuid';
import { ulidToUUID } from 'ulid';
import { describe, expect, it } from 'vitest';
import { Xid } from 'xid-ts';
import { wideFieldsOf } from '../../src/tokens/wide-fields.js';
import { scaled } from '../support/scale.js';
import { UUIDS_WITHOUT_TIME, WIDE_ID_VECTORS, type WideKind } from '../vectors/wide-ids.js';
import { ARBITRARY_IDS } from '../wide-ids/written.js';

type Fields = readonly (readonly [name: string, bits: number, value: bigint | number])[];

interface Vector {
  readonly text: string;
  readonly kind?: WideKind;
  readonly name: string;
  readonly fields: Fields;
}

const VECTORS: readonly Vector[] = [
  // RFC 9562, appendices A.1 to A.6, B.1 and B.2, which list these fields.
  {
    text: 'C232AB00-9414-11EC-B3C8-9F6BDECED846',
    name: 'UUID version 1',
    fields: [
      ...([
        ['time_low', 32, 0xc232ab00],
        ['time_mid', 16, 0x9414],
        ['version', 4, 1],
      ] as const),
      ...([
        ['time_high', 12, 0x1ec],
        ['variant', 2, 2],
        ['clock_seq', 14, 0x33c8],
        ['node', 48, 0x9f6bdeced846],
      ] as const),
    ],
  },
  {
    text: '5df41881-3aed-3515-88a7-2f4a814cf09e',
    name: 'UUID version 3 (MD5 of a name)',
    fields: [
      ...([
        ['md5_high', 48, 0x5df418813aed],
        ['version', 4, 3],
        ['md5_mid', 12, 0x515],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['md5_low', 62, 0x08a72f4a814cf09en],
      ] as const),
    ],
  },
  {
    text: '919108f7-52d1-4320-9bac-f847db4148a8',
    name: 'UUID version 4 (random)',
    fields: [
      ...([
        ['random_a', 48, 0x919108f752d1],
        ['version', 4, 4],
        ['random_b', 12, 0x320],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['random_c', 62, 0x1bacf847db4148a8n],
      ] as const),
    ],
  },
  {
    text: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    name: 'UUID version 5 (SHA-1 of a name)',
    fields: [
      ...([
        ['sha1_high', 48, 0x2ed6657de927],
        ['version', 4, 5],
        ['sha1_mid', 12, 0x68b],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['sha1_low', 62, 0x15e12665a8aea6a2n],
      ] as const),
    ],
  },
  {
    text: '1EC9414C-232A-6B00-B3C8-9F6BDECED846',
    name: 'UUID version 6',
    fields: [
      ...([
        ['time_high', 32, 0x1ec9414c],
        ['time_mid', 16, 0x232a],
        ['version', 4, 6],
      ] as const),
      ...([
        ['time_low', 12, 0xb00],
        ['variant', 2, 2],
        ['clock_seq', 14, 0x33c8],
        ['node', 48, 0x9f6bdeced846],
      ] as const),
    ],
  },
  {
    text: '017F22E2-79B0-7CC3-98C4-DC0C0C07398F',
    name: 'UUID version 7',
    fields: [
      ...([
        ['unix_ts_ms', 48, 0x017f22e279b0],
        ['version', 4, 7],
        ['rand_a', 12, 0xcc3],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['rand_b', 62, 0x18c4dc0c0c07398fn],
      ] as const),
    ],
  },
  {
    text: '2489E9AD-2EE2-8E00-8EC9-32D5F69181C0',
    name: 'UUID version 8 (custom)',
    fields: [
      ...([
        ['custom_a', 48, 0x2489e9ad2ee2],
        ['version', 4, 8],
        ['custom_b', 12, 0xe00],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['custom_c', 62, 0x0ec932d5f69181c0n],
      ] as const),
    ],
  },
  {
    text: '5c146b14-3c52-8afd-938a-375d0df1fbf6',
    name: 'UUID version 8 (custom)',
    fields: [
      ...([
        ['custom_a', 48, 0x5c146b143c52],
        ['version', 4, 8],
        ['custom_b', 12, 0xafd],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['custom_c', 62, 0x138a375d0df1fbf6n],
      ] as const),
    ],
  },
  // The same, sections 5.9 and 5.10.
  { text: '00000000-0000-0000-0000-000000000000', name: 'nil UUID', fields: [['nil', 128, 0]] },
  { text: 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', name: 'max UUID', fields: [['max', 128, 2n ** 128n - 1n]] },
  // By the definition in DCE 1.1: user 1000 of domain 0 (person), with the rest of a UUID of version 1.
  {
    text: '000003e8-9dad-21d1-b400-00c04fd430c8',
    name: 'UUID of version 2 (DCE security)',
    fields: [
      ...([
        ['local_id', 32, 1000],
        ['time_mid', 16, 0x9dad],
        ['version', 4, 2],
        ['time_high', 12, 0x1d1],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['clock_seq', 6, 0x34],
        ['local_domain', 8, 0],
        ['node', 48, 0xc04fd430c8],
      ] as const),
    ],
  },
  // IUnknown of Microsoft's COM: variant 110. And the first of RFC 9562 with the variant of Apollo, a single 0.
  {
    text: '00000000-0000-0000-C000-000000000046',
    name: 'UUID of another variant',
    fields: [
      ['unknown_a', 64, 0],
      ['variant', 3, 6],
      ['unknown_b', 61, 0x46],
    ],
  },
  {
    text: 'C232AB00-9414-11EC-73C8-9F6BDECED846',
    name: 'UUID of another variant',
    fields: [
      ['unknown_a', 64, 0xc232ab00941411ecn],
      ['variant', 1, 0],
      ['unknown_b', 63, 0x73c89f6bdeced846n],
    ],
  },
  {
    text: 'C232AB00-9414-F1EC-B3C8-9F6BDECED846',
    name: 'UUID of version 15 (not defined)',
    fields: [
      ...([
        ['unknown_a', 48, 0xc232ab009414],
        ['version', 4, 15],
        ['unknown_b', 12, 0x1ec],
      ] as const),
      ...([
        ['variant', 2, 2],
        ['unknown_c', 62, 0x33c89f6bdeced846n],
      ] as const),
    ],
  },
  // README of ulid on npm; its test/node/uuid.spec.ts gives it as 01563DF3-6481-D676-4C61-EFB99302BD5B.
  {
    text: '01ARYZ6S41TSV4RRFFQ69G5FAV',
    kind: 'ulid',
    name: 'ULID',
    fields: [
      ['time', 48, 1469918176385],
      ['randomness', 80, 0xd6764c61efb99302bd5bn],
    ],
  },
  // MongoDB manual, in hexadecimal as the BSON specification divides it.
  {
    text: '507f1f77bcf86cd799439011',
    kind: 'objectid',
    name: 'MongoDB ObjectId',
    fields: [
      ['time', 32, 0x507f1f77],
      ['random', 40, 0xbcf86cd799],
      ['counter', 24, 0x439011],
    ],
  },
  // segmentio/ksuid README.md, "ksuid -f inspect".
  {
    text: '0ujtsYcgvSTl8PAuAdqWYSMnLOv',
    kind: 'ksuid',
    name: 'KSUID',
    fields: [
      ['time', 32, 107608047],
      ['payload', 128, 0xb5a1cd34b5f99d1154fb6853345c9735n],
    ],
  },
  // rs/xid id_test.go: the first of IDs.
  {
    text: '9m4e2mr0ui3e8a215n4g',
    kind: 'xid',
    name: 'xid',
    fields: [
      ['time', 32, 1300816219],
      ['machine', 24, 0x60f486],
      ['process', 16, 0xe428],
      ['counter', 24, 4271561],
    ],
  },
];

describe('the fields of', () => {
  it.each(VECTORS)('$text, $name', ({ text, kind = 'uuid', name, fields }) => {
    const found = wideFieldsOf(text, kind);
    expect(found.name).toBe(name);
    expect(found.fields.map((field) => [field.name, field.bits, field.value])).toEqual(
      fields.map(([field, bits, value]) => [field, bits, BigInt(value)]),
    );
    if (kind === 'uuid') expect(wideFieldsOf(text.replaceAll('-', '').toLowerCase(), 'uuid')).toEqual(found);
  });

  it('an id say which are its time, and which are the same in all ids of its kind', () => {
    const marked = (what: string, ...[text, kind]: Parameters<typeof wideFieldsOf>) =>
      wideFieldsOf(text, kind).fields.flatMap((field) => (field.what === what ? field.name : []));
    for (const { text, kind = 'uuid' } of VECTORS) {
      const hasVersion = kind === 'uuid' && !/^(nil|max|.* another variant)/.test(wideFieldsOf(text, kind).name);
      if (hasVersion) expect(marked('fixed', text, kind)).toEqual(['version', 'variant']);
      else if (kind !== 'uuid') expect(marked('time', text, kind)).toEqual(['time']);
    }
    expect(marked('time', 'C232AB00-9414-11EC-B3C8-9F6BDECED846', 'uuid')).toEqual([
      'time_low',
      'time_mid',
      'time_high',
    ]);
    expect(marked('time', '1EC9414C-232A-6B00-B3C8-9F6BDECED846', 'uuid')).toEqual([
      'time_high',
      'time_mid',
      'time_low',
    ]);
    expect(marked('time', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F', 'uuid')).toEqual(['unix_ts_ms']);
    expect(marked('time', '919108f7-52d1-4320-9bac-f847db4148a8', 'uuid')).toEqual([]);
    expect(marked('fixed', '00000000-0000-0000-0000-000000000000', 'uuid')).toEqual(['nil']);
    expect(marked('fixed', '00000000-0000-0000-C000-000000000046', 'uuid')).toEqual(['variant']);
  });

  it('a UUID have its MAC address as a note, unless its node is random', () => {
    const noteOf = (text: string) => wideFieldsOf(text, 'uuid').fields.at(-1)?.note;
    // RFC 9562, section 6.6: the namespace of DNS.
    expect(noteOf('6ba7b810-9dad-11d1-80b4-00c04fd430c8')).toBe('MAC 00:c0:4f:d4:30:c8');
    expect(noteOf('1d19dad6-ba7b-6810-80b4-00c04fd430c8')).toBe('MAC 00:c0:4f:d4:30:c8');
    expect(noteOf('C232AB00-9414-11EC-B3C8-9F6BDECED846')).toBeUndefined();
    expect(noteOf('919108f7-52d1-4320-9bac-f847db4148a8')).toBeUndefined();
  });
});

/** An id as a number, by the packages of others. */
const BITS: { readonly [K in WideKind]: readonly [bits: number, of: (text: string) => bigint] } = {
  uuid: [128, (text) => BigInt(`0x${text.replaceAll('-', '')}`)],
  ulid: [128, (text) => BigInt(`0x${ulidToUUID(text.toUpperCase()).replaceAll('-', '')}`)],
  objectid: [96, (text) => BigInt(`0x${text}`)],
  ksuid: [160, (text) => BigInt(`0x${KSUID.parse(text).raw.toString('hex')}`)],
  xid: [
    96,
    (text) =>
      BigInt(`0x${Array.from(Xid.parse(text).toBytes(), (byte) => byte.toString(16).padStart(2, '0')).join('')}`),
  ],
};

describe.each(Object.keys(BITS) as WideKind[])('the fields of a %s', (kind) => {
  const known = [
    ...WIDE_ID_VECTORS.filter((vector) => vector.kind === kind),
    ...(kind === 'uuid' ? UUIDS_WITHOUT_TIME : []),
  ];
  const texts = fc.oneof(ARBITRARY_IDS[kind], fc.constantFrom(...known.map(({ text }) => text)));

  it('are all of its bits, in their order', () => {
    const [width, numberOf] = BITS[kind];
    fc.assert(
      fc.property(texts, (text) => {
        const { bits, fields } = wideFieldsOf(text, kind);
        expect(bits).toBe(width);
        expect(fields.reduce((sum, field) => sum + field.bits, 0)).toBe(width);
        expect(fields.reduce((all, field) => (all << BigInt(field.bits)) | field.value, 0n)).toBe(numberOf(text));
      }),
      { numRuns: scaled(1000) },
    );
  });
});
