import { expect, it } from 'vitest';
import { xxh64, xxh64Many } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { utf8 } from '../support/bytes.js';

export const PIECE_BYTES = 256 * 1024; // how much the WebAssembly backend encodes and hashes at a time

/** Tests every way a character can lie across the end of a piece, and then across the end of the next. */
export function wherePiecesEnd(): void {
  it.each([
    ['a pair', '😀'],
    ['a lone high surrogate', '\ud83d'],
    ['a lone low surrogate', '\ude00'],
    ['a character of three bytes', '€'],
    ['a character of two bytes', 'ж'],
  ])('with %s wherever a piece ends', (_, character) => {
    for (let before = PIECE_BYTES - 5; before <= PIECE_BYTES + 1; before++) {
      const text = `${'a'.repeat(before)}${character}${'b'.repeat(9)}${character}`;
      const expected = wasm.xxh64(utf8(text), 0n); // BigInt takes 90 times as long
      expect(xxh64(text), `at ${before}`).toBe(expected);
      expect(xxh64Many([text])[0], `at ${before}`).toBe(expected);
    }
    for (let before = 0; before < 4; before++) {
      const text = `${'a'.repeat(before)}${character.repeat(120_000)}${'b'.repeat(PIECE_BYTES)}`;
      expect(xxh64(text), `repeated after ${before}`).toBe(wasm.xxh64(utf8(text), 0n));
    }
  });
}
