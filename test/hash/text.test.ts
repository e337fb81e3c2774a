import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Xxh64, xxh64, xxh64Many } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { IS_WHOLE } from '../support/scale.js';
import { PIECE_BYTES, wherePiecesEnd } from './piece-ends.js';

const codeUnits = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0x7f }),
      fc.integer({ min: 0x80, max: 0x7ff }),
      fc.integer({ min: 0xd800, max: 0xdbff }),
      fc.integer({ min: 0xdc00, max: 0xdfff }),
      fc.integer({ min: 0, max: 0xffff }),
    ),
    { maxLength: 80 },
  )
  .map((units) => String.fromCharCode(...units));

onBothBackends('a string is hashed as its UTF-8 bytes', (kernels) => {
  it.each([
    ['empty', ''],
    ['ASCII', 'user:42'],
    ['with a NUL', 'a\0b'],
    ['two bytes a character', 'ßéøж'],
    ['three bytes a character', '你好€'],
    ['beyond the BMP', '𝒳😀\u{10ffff}'],
    ['beginning with U+FEFF, which is no mark here', '\ufeffabc'],
  ])('%s', (_, text) => {
    expect(xxh64(text)).toBe(xxh64(utf8(text)));
    expect(xxh64Many([text])).toEqual(BigUint64Array.of(xxh64(utf8(text))));
    expect(new Xxh64().update(text).digest()).toBe(xxh64(utf8(text)));
  });

  it('does not normalise', () => {
    expect(xxh64('é')).not.toBe(xxh64('e\u0301'));
  });

  it.each([
    ['a high surrogate', '\ud83d', '\ufffd'],
    ['a low surrogate', '\ude00', '\ufffd'],
    ['a pair the wrong way round', '\ude00\ud83d', '\ufffd\ufffd'],
    ['a high surrogate in the middle', 'a\ud83db', 'a\ufffdb'],
    ['a high surrogate before a pair', '\ud83d\ud83d\ude00', '\ufffd😀'],
    ['a high surrogate at the end', 'ab\udbff', 'ab\ufffd'],
  ])('%s that is alone counts as U+FFFD', (_, text, replaced) => {
    expect(xxh64(text)).toBe(xxh64(utf8(replaced)));
    expect(xxh64Many([text, 'a'])[0]).toBe(xxh64(utf8(replaced)));
    expect(new Xxh64().update(text).digest()).toBe(xxh64(utf8(replaced)));
  });

  it('whatever the string', () => {
    fc.assert(
      fc.property(codeUnits, fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }), (text, seed) => {
        const expected = xxh64(utf8(text), seed);
        expect(xxh64(text, seed)).toBe(expected);
        expect(new Xxh64(seed).update(text).digest()).toBe(expected);
      }),
    );
  });

  it('row by row, whatever the neighbours: halves of a pair in two rows stay apart', () => {
    expect(xxh64Many(['a\ud83d', '\ude00b'])).toEqual(
      BigUint64Array.of(xxh64(utf8('a\ufffd')), xxh64(utf8('\ufffdb'))),
    );
    fc.assert(
      fc.property(fc.array(codeUnits, { maxLength: 20 }), (texts) => {
        expect(xxh64Many(texts)).toEqual(BigUint64Array.from(texts, (text) => xxh64(utf8(text))));
      }),
      { numRuns: 100 },
    );
  });

  it('however long it is', () => {
    const texts = [
      'aж你😀'.repeat(80_000),
      'a'.repeat(PIECE_BYTES - 1),
      'a'.repeat(PIECE_BYTES),
      'a'.repeat(PIECE_BYTES + 1),
      'shard bits '.repeat(30_000),
      'ж'.repeat(PIECE_BYTES / 2 + 1),
      '你'.repeat(Math.ceil(PIECE_BYTES / 3)),
      '😀'.repeat(150_001),
    ];
    for (const text of IS_WHOLE || kernels === wasm ? texts : texts.slice(0, 1)) {
      const expected = wasm.xxh64(utf8(text), 7n);
      expect(xxh64(text, 7n)).toBe(expected);
      expect(xxh64Many(['x', text, 'y'], { seed: 7n })).toEqual(
        BigUint64Array.of(xxh64('x', 7n), expected, xxh64('y', 7n)),
      );
    }
  });

  if (kernels !== wasm) return; // BigInt has no pieces; text.sweep.test.ts has it, too
  wherePiecesEnd();
});
