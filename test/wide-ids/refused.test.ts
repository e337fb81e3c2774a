import { describe, expect, it } from 'vitest';
import { timesOf, wideIdKindOf } from '../../src/wide-ids/index.js';
import { wrong } from '../support/wrong-argument.js';
import { WIDE_ID_VECTORS, type WideKind } from '../vectors/wide-ids.js';
import { columnOf } from './texts.js';

const UUID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';

/** Texts that are not ids of a kind, nor of another. */
const NOT_IDS: { readonly [K in WideKind]: readonly string[] } = {
  uuid: [
    ...[`{${UUID}}`, `urn:uuid:${UUID}`, UUID.replace('-', ''), UUID.replaceAll('-', '_'), UUID.slice(1), `${UUID}0`],
    ...[
      '017f22e-279b0-7cc3-98c4-dc0c0c07398f',
      '017f22e279b07cc398c4dc0c0c07398-',
      '------------------------------------',
    ],
    ...[UUID.replace('f', 'g'), ` ${UUID.slice(1)}`, `${UUID}\n`, UUID.replace('0', '\0'), UUID.replace('c', '\u0441')],
  ],
  ulid: [
    ...['8ZZZZZZZZZZZZZZZZZZZZZZZZZ', '80000000000000000000000000', 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    // Crockford's decoders read I and L as 1 and O as 0; the specification of ULID leaves these letters out.
    ...['01ARYZ6S4ITSV4RRFFQ69G5FAV', '01ARYZ6S4LTSV4RRFFQ69G5FAV', 'O1ARYZ6S41TSV4RRFFQ69G5FAV'],
    ...['01ARYZ6S41TSV4RRFFQ69G5FAI', '01ARYZ6S41TSV4RRFFQ69G5FAU', '01aryz6s41tsv4rrffq69g5fal'],
    ...['01ARYZ6S41-SV4RRFFQ69G5FAV', '01ARYZ6S41TSV4RRFFQ69G5FA', '01ARYZ6S41TSV4RRFFQ69G5F\u212a\u212a'],
  ],
  objectid: [
    ...['507f1f77bcf86cd79943901g', '507f1f77bcf86cd79943901', '0x507f1f77bcf86cd7994390', '507f1f77 bcf86cd799439011'],
    ...[
      '+07f1f77bcf86cd799439011',
      '507f1f77bcf86cd7994390.1',
      '５07f1f77bcf86cd799439011',
      '507f1f77bcf86cd79943901\u0661',
    ],
  ],
  ksuid: [
    ...['aWgEPTl1tmebfsQzFP4bxwgy80W', 'aWgEPTl1tmebfsQzFP4bxwgy810', 'zzzzzzzzzzzzzzzzzzzzzzzzzzz'],
    ...[
      'b00000000000000000000000000',
      '0ujtsYcgvSTl8PAuAdqWYSMnLO-',
      '0ujtsYcgvSTl8PAuAdqWYSMnLO_',
      '-ujtsYcgvSTl8PAuAdqWYSMnLOv',
    ],
  ],
  xid: [
    ...['c6e52g2mrqcjl44hf179', 'c6e52g2mrqcjl44hf171', 'c6e52g2mrqcjl44hf17v', '9M4E2MR0UI3E8A215N4G'],
    ...[
      '9m4e2mr0ui3e8a215n4w',
      '9m4e2mr0ui3e8a215w4g',
      '9m4e2mr0ui3e8a215n4',
      'wm4e2mr0ui3e8a215n4g',
      '9m4e2mr0ui3e8a215n4G',
    ],
  ],
};

const EXPECTED: { readonly [K in WideKind]: string } = {
  uuid: 'a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens',
  ulid: 'a ULID: 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7',
  objectid: 'an ObjectId: 24 hexadecimal digits',
  ksuid: 'a KSUID: 27 characters of 0-9, A-Z and a-z, at most aWgEPTl1tmebfsQzFP4bxwgy80V',
  xid: 'an xid: 20 characters of 0-9 and a-v, the last one 0 or g',
};

const KINDS = Object.keys(EXPECTED) as WideKind[];
const COMMON = [
  '',
  ' ',
  '0',
  '1541815603606036480',
  'f'.repeat(16),
  'f'.repeat(64),
  '\ud800'.repeat(20),
  '漢'.repeat(24),
];

describe.each(KINDS)('texts that are not a %s', (kind) => {
  const [good = ''] = WIDE_ID_VECTORS.filter((vector) => vector.kind === kind).map(({ text }) => text);

  it.each([...NOT_IDS[kind], ...COMMON])('%j', (text) => {
    expect(wideIdKindOf(text)).toBeUndefined();
    const problem = { name: 'RangeError', argument: 'texts', row: 2, expected: EXPECTED[kind] };
    for (const texts of [
      [good, good, text],
      [good, good, text, good, text],
      [...Array(2).fill(good), text, ''],
    ]) {
      expect(() => timesOf(texts, kind)).toThrow(expect.objectContaining({ ...problem, got: text }));
      expect(() => timesOf(columnOf(texts), kind)).toThrow(expect.objectContaining(problem));
    }
  });

  it('ids of other kinds', () => {
    for (const other of WIDE_ID_VECTORS.filter((vector) => vector.kind !== kind)) {
      expect(() => timesOf([other.text], kind)).toThrow(RangeError);
      expect(() => timesOf(columnOf([other.text]), kind)).toThrow(wrong('texts', 0));
    }
  });

  it('bytes that are not ASCII', () => {
    for (let byte = 128; byte < 256; byte++) {
      const data = Uint8Array.from(good, (character) => character.charCodeAt(0));
      data[byte % good.length] = byte;
      expect(() => timesOf({ data, offsets: Uint32Array.of(0, good.length) }, kind)).toThrow(RangeError);
    }
  });

  it('characters whose code ends in that of a digit', () => {
    for (const high of [0x100, 0x2100, 0xff00]) {
      for (let at = 0; at < good.length; at++) {
        const text = good.slice(0, at) + String.fromCharCode(good.charCodeAt(at) + high) + good.slice(at + 1);
        expect(() => timesOf([text], kind)).toThrow(RangeError);
        expect(wideIdKindOf(text)).toBeUndefined();
      }
    }
  });
});
