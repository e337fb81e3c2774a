import { describe, expect, it } from 'vitest';
import { formatId, formatIdColumn, formatIds, parseId, parseIds } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { randomU64s } from '../support/random.js';
import { IS_FULL, scaled } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';
import { ID_TEXTS } from '../vectors/id-text.js';

const FORMATS = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'] as const;
const WIDTH = { dec: 20, hex: 16, base62: 11, crockford32: 13, sortable32: 13 };
const U64_MAX = 0xffffffffffffffffn;

/** Columns cross to WebAssembly in pieces of 16,384 rows or 256 KiB of text. */
const PIECES = IS_FULL ? [13_107, 13_108, 16_384, 16_385, 40_000] : [16_385];

/** Powers of 2 and 10 and their neighbours, where digits and carries change; and random ones. */
function ids(): BigUint64Array {
  const edges = [0n, U64_MAX];
  for (let power = 0n; power < 64n; power++) edges.push((1n << power) - 1n, 1n << power, (1n << power) + 1n);
  for (let power = 0n; power < 20n; power++) edges.push(10n ** power - 1n, 10n ** power, 10n ** power + 1n);
  for (let power = 0n; power < 11n; power++) edges.push(62n ** power - 1n, 62n ** power);
  return BigUint64Array.from([...edges, ...randomU64s(scaled(3000))]);
}

function columnOf(texts: readonly string[], before = 0): { data: Uint8Array; offsets: Uint32Array } {
  let end = before;
  const offsets = Uint32Array.of(before, ...texts.map((text) => (end += utf8(text).length)));
  return { data: utf8(`${'7'.repeat(before)}${texts.join('')}77`), offsets };
}

onBothBackends('ids as text', (kernels) => {
  const pieces = IS_FULL || kernels === wasm ? PIECES : [];

  describe.each(FORMATS)('in %s', (format) => {
    const zero = formatId(0n, format).charAt(0);
    const one = formatId(1n, format, { padded: false });
    it.each(ID_TEXTS)('write and read $id as published', (vector) => {
      expect(formatId(vector.id, format)).toBe(vector[format]);
      expect(parseId(vector[format], format)).toBe(vector.id);
    });

    it('come back as they were, and sort as they do', () => {
      const column = ids();
      const texts = formatIds(column, format);
      expect(texts.every((text) => text.length === WIDTH[format])).toBe(true);
      expect(parseIds(texts, format)).toEqual(column);
      expect(parseIds(formatIdColumn(column, format), format)).toEqual(column);
      expect([...texts].sort()).toEqual(formatIds(column.slice().sort(), format));
    });

    it('are the same one by one, as strings and as bytes', () => {
      const column = ids();
      const texts = formatIds(column, format);
      expect(texts).toEqual(Array.from(column, (id) => formatId(id, format)));
      const { data, offsets } = formatIdColumn(column, format);
      expect(new TextDecoder().decode(data)).toBe(texts.join(''));
      expect(offsets).toEqual(Uint32Array.from({ length: column.length + 1 }, (_, i) => i * WIDTH[format]));
    });

    it('without padding have no zeros in front, one by one, as strings and as bytes', () => {
      const column = ids();
      const zeros = RegExp(`^${zero}+(?=.)`);
      const expected = formatIds(column, format).map((text) => text.replace(zeros, ''));
      expect(formatIds(column, format, { padded: false })).toEqual(expected);
      expect(Array.from(column, (id) => formatId(id, format, { padded: false }))).toEqual(expected);
      const texts = formatIdColumn(column, format, { padded: false });
      expect(new TextDecoder().decode(texts.data)).toBe(expected.join(''));
      expect(parseIds(texts, format)).toEqual(column);
      expect(formatIds(column, format, { padded: undefined })).toEqual(formatIds(column, format));
    });

    it.each([0, 1, 7, 1023, 1024, 1025, ...pieces])('of %i rows', (rows) => {
      const column = randomU64s(rows);
      expect(parseIds(formatIds(column, format), format)).toEqual(column);
      expect(parseIds(formatIdColumn(column, format), format)).toEqual(column);
    });

    it('are read without their zeros, and with more', () => {
      const column = ids();
      const short = formatIds(column, format, { padded: false });
      expect(parseIds(short, format)).toEqual(column);
      expect(parseIds(columnOf(short, 3), format)).toEqual(column);
      const long = short.map((text, i) => zero.repeat(i % 100) + text);
      expect(parseIds(long, format)).toEqual(column);
      expect(parseIds(columnOf(long, 1), format)).toEqual(column);
    });

    it('are refused with any character that is no digit, wherever it stands', () => {
      const good = formatId(1n, format);
      const strange = [...' +-_.,:/@[`{~\0\n\t', 'é', '１', '٣', '😀', '\ud800'];
      for (const character of strange) {
        for (let at = 0; at <= good.length; at++) {
          const text = good.slice(0, at) + character + good.slice(at + 1);
          expect(() => parseIds([good, text], format)).toThrow(wrong('texts', 1));
          expect(() => parseIds(columnOf([good, text, good]), format)).toThrow(wrong('texts', 1));
        }
      }
    });

    it('are read however long their zeros make them, and refused however long they are', () => {
      const zeros = zero.repeat(300_000);
      expect(parseIds([one, `${zeros}${one}`, one], format)).toEqual(BigUint64Array.of(1n, 1n, 1n));
      expect(parseIds(columnOf([one, `${zeros}${one}`, one]), format)).toEqual(BigUint64Array.of(1n, 1n, 1n));
      expect(() => parseIds([one, `${zeros}!`], format)).toThrow(wrong('texts', 1));
      expect(() => parseIds(columnOf([one, one.repeat(300_000)]), format)).toThrow(wrong('texts', 1));
    });
  });

  it('read hex and crockford32 in either case, and what is easily mistaken in crockford32', () => {
    expect(parseId('FFffFFffFFffFFff', 'hex')).toBe(U64_MAX);
    expect(parseIds(['07yczx1vg0001', 'O7YCZXIVGOOOL', 'o7yczxlvgoooi'], 'crockford32')).toEqual(
      new BigUint64Array(3).fill(286435872092454913n),
    );
    const zeros = `${'Oo0'.repeat(7)}I`;
    expect(parseId(zeros, 'crockford32')).toBe(1n);
    expect(parseIds([zeros, `${'o'.repeat(300_000)}1`], 'crockford32')).toEqual(BigUint64Array.of(1n, 1n));
    expect(parseId('3JzFcIjPj2Z2A', 'sortable32')).toBe(parseId('3jzfcijpj2z2a', 'sortable32'));
    expect(() => parseId('U', 'crockford32')).toThrow(RangeError);
    expect(() => parseId('1', 'sortable32')).toThrow(RangeError);
    expect(parseId('a', 'base62')).not.toBe(parseId('A', 'base62'));
  });

  it('read signed columns by their bits', () => {
    expect(formatIds(BigInt64Array.of(-1n), 'hex')).toEqual(['ffffffffffffffff']);
  });
});
