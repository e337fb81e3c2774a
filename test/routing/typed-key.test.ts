import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Router, typedKey } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { scaled } from '../support/scale.js';

describe('typedKey', () => {
  it.each([
    ['User', 'helene', '4:User:helene'],
    ['a-b', 'c', '3:a-b:c'],
    ['a', 'b-c', '1:a:b-c'],
    ['', '', '0::'],
    ['', 'x', '0::x'],
    ['x', '', '1:x:'],
  ])('of %j and %j is %j', (type, key, text) => {
    expect(typedKey(type, key)).toBe(text);
  });

  it.each([
    ['é', 2],
    ['你好', 6],
    ['😀', 4],
    ['e\u0301', 3],
    ['a'.repeat(1000), 1000],
  ])('counts the type %j in bytes of UTF-8', (type, bytes) => {
    expect(typedKey(type, 'k')).toBe(`${bytes}:${type}:k`);
  });

  it('counts bytes right up to where characters get longer, and 3 for each half of a pair that stands alone', () => {
    const edges = [
      '\x7f',
      '\x80',
      '\u07ff',
      '\u0800',
      '\ud7ff',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
      '\ue000',
      '\uffff',
    ];
    for (const first of edges) {
      for (const second of edges) {
        const type = `${first}${second}a${second}`;
        expect(typedKey(type, 'k')).toBe(`${utf8(type).length}:${type}:k`);
      }
    }
  });

  it.each([
    ['a-b', 'c', 'a', 'b-c'],
    ['a', 'b', '', 'ab'],
    ['a:', 'b', 'a', ':b'],
    ['1:a', '', '1', 'a:'],
    ['', '1:a:', '0::1', 'a:'],
    ['é', ':', 'é:', ''],
    ['a', 'b', 'b', 'a'],
  ])('tells (%j, %j) from (%j, %j)', (type, key, otherType, otherKey) => {
    expect(typedKey(type, key)).not.toBe(typedKey(otherType, otherKey));
  });

  // Of few characters, so that texts would meet if they could.
  const text = fc.string({ unit: fc.constantFrom('1', '2', ':', 'a', 'é', '😀'), maxLength: 6 });

  it('is one text for each pair', () => {
    fc.assert(
      fc.property(text, text, text, text, (type, key, otherType, otherKey) => {
        const same = type === otherType && key === otherKey;
        expect(typedKey(type, key) === typedKey(otherType, otherKey)).toBe(same);
      }),
      { numRuns: scaled(2000) },
    );
  });

  it('is one text for each of all pairs of short texts', () => {
    const alphabet = ['', '0', '1', ':', 'a'];
    const texts = new Set(alphabet.flatMap((a) => alphabet.flatMap((b) => alphabet.map((c) => a + b + c))));
    const all = [...texts].flatMap((type) => [...texts].map((key) => typedKey(type, key)));
    expect(new Set(all).size).toBe(texts.size ** 2);
  });

  it('can be taken apart again', () => {
    const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
    const text = fc.string({ unit: character });
    fc.assert(
      fc.property(text, text, (type, key) => {
        const bytes = utf8(typedKey(type, key));
        const colon = typedKey(type, key).indexOf(':');
        const length = Number(typedKey(type, key).slice(0, colon));
        expect(bytes.subarray(colon + 1, colon + 1 + length)).toEqual(utf8(type));
        expect(bytes.subarray(colon + 2 + length)).toEqual(utf8(key));
      }),
    );
  });
});

onBothBackends('routing by typedKey', () => {
  it('routes a pair as its text', () => {
    const router = new Router({ shards: 4, strategy: 'fastrange' });
    expect(router.route(typedKey('User', 'helene'))).toBe(router.route('4:User:helene'));
  });

  it('does not put all pairs with the same letters together', () => {
    const router = new Router({ shards: 1_000_000 });
    const letters = 'abcdefghij-klmnopqrst';
    const pairs = Array.from(letters.slice(1), (_, at) => typedKey(letters.slice(0, at + 1), letters.slice(at + 1)));
    expect(new Set(router.routeMany(pairs)).size).toBe(pairs.length);
  });
});
