import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Router, xxh64Many } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { IS_WHOLE } from '../support/scale.js';

// Texts are encoded many at a time, and in more than one way; each has to come out as if it were alone.

const encoder = new TextEncoder();

function alone(texts: readonly string[]): BigUint64Array {
  return BigUint64Array.from(texts, (text) => wasm.xxh64(encoder.encode(text), 0n)); // BigInt takes 90 times as long
}

onBothBackends('texts of a column are hashed as if each were alone', () => {
  it.each([
    ['halves of surrogate pairs that meet', ['a\ud83d', '\ude00b', '\ud83d', '\ude00', '', '\ud83d\ude00']],
    ['halves that meet across empty texts', ['\ud83d', '', '', '\ude00', 'z']],
    ['lone halves of both kinds', ['\udc00', '\ud800', '\udc00\ud800', 'é\ud800', '\udc00é']],
    [
      'characters of one to four bytes',
      ['a', 'é', '日', '😀', 'aé日😀', '😀日éa', '\u0000', '\u007f\u0080\u07ff\u0800\uffff'],
    ],
  ])('%s', (_, texts) => {
    expect(xxh64Many(texts)).toEqual(alone(texts));
    const many = Array.from({ length: 5000 }, () => texts).flat();
    expect(xxh64Many(many)).toEqual(alone(many));
  });

  it('whatever the scripts and lengths, also where they change within a column', () => {
    const unit = fc.constantFrom('a', 'key:', 'é', '日本', '😀', '\ud83d', '\ude00', ' '.repeat(40), '語'.repeat(60));
    const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));
    const block = fc.tuple(fc.array(text, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(fc.array(block, { maxLength: 6 }), (blocks) => {
        const texts = blocks.flatMap(([some, times]) => Array.from({ length: times }, () => some).flat());
        expect(xxh64Many(texts)).toEqual(alone(texts));
      }),
    );
  });

  it('with every mixture of kinds of unit over eight units in a row', () => {
    const kinds = ['a', 'é', '日', '\ud83d', '\ude00'];
    const mixtures = (some: readonly string[], length: number) =>
      Array.from({ length: some.length ** length }, (_, i) =>
        Array.from({ length }, (_, place) => some[Math.floor(i / some.length ** place) % some.length]).join(''),
      );
    // The quick run mixes any two kinds over eight units, and all kinds over any four of the eight.
    const ofTwo = () => kinds.flatMap((one) => kinds.flatMap((other) => mixtures([one, other], 8)));
    const overFour = () => [0, 1, 2, 3, 4].flatMap((at) => mixtures(kinds, 4).map((four) => 'a'.repeat(at) + four));
    const all = IS_WHOLE ? mixtures(kinds, 8) : [...ofTwo(), ...overFour()];
    const texts = all.map((eight) => `${eight}\ude00 ende`);
    const data = encoder.encode(texts.join(''));
    const offsets = new Uint32Array(texts.length + 1);
    for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i] + encoder.encode(text).length;
    expect(xxh64Many(texts)).toEqual(xxh64Many({ data, offsets }));
  });

  // The quick run: all of one unit, and a sixteenth of those of two.
  it('with every character there is', () => {
    const all = Array.from({ length: 0x110000 / 16 }, (_, i) =>
      String.fromCodePoint(...Array.from({ length: 16 }, (_, j) => i * 16 + j)),
    );
    const texts = IS_WHOLE ? all : all.filter((_, i) => i < 0x10000 / 16 || i % 16 === 15);
    expect(xxh64Many(texts)).toEqual(alone(texts));
  });

  it('long ones that are not ASCII, at every length up to one too long for its place, and ASCII again after', () => {
    const lengths = [0, 1, 39, 40, 41, 64, 1364, 1365, 1366, 4096, 50_000, 90_000];
    const texts = lengths.flatMap((length) => ['日'.repeat(length), 'é'.repeat(length), 'x'.repeat(length)]);
    const column = [
      ...Array.from({ length: 3000 }, (_, i) => `${'日本語'.repeat(20)}${i}`),
      ...texts,
      ...texts.reverse(),
      'end',
    ];
    expect(xxh64Many(column)).toEqual(alone(column));
    const router = new Router({ shards: 1000 });
    expect(router.routeMany(column)).toEqual(Uint32Array.from(column, (text) => router.route(encoder.encode(text))));
  });
});
