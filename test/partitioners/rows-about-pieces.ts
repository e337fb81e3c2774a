import { afterEach, describe, expect, it } from 'vitest';
import { setBackend } from '../../src/index.js';
import { utf8 } from '../support/bytes.js';
import '../support/equality.js';
import { bytesColumn, make, SYSTEMS, titleOf } from './samples.js';

// Columns cross to WebAssembly in pieces, which are smaller where UTF-8 becomes UTF-16. Longer rows go another way.
export const PIECES = [32 * 1024 - 8, 128 * 1024, 256 * 1024];
export const SOME = SYSTEMS.filter(({ system }) =>
  ['kafka', 'spark', 'ragedb', 'elasticsearch', 'flink', 'hive'].includes(system),
);

/** Rows that fill a piece, or nearly, together and alone. */
function rowsAbout(piece: number, character: string): string[] {
  const bytes = utf8(character).length;
  const lengths = [-1, 0, 1].flatMap((more) => [10, 10, piece / bytes - 20 + more, 5, piece / bytes + more, 0, 3]);
  return lengths.map((length, row) => String.fromCharCode(0x61 + row) + character.repeat(Math.max(0, length - 1)));
}

/** Tests that rows about as long as a piece are placed alike on both backends. */
export function testPieces(systems: typeof SOME, pieces: readonly number[]): void {
  describe.each(systems.map((one) => [titleOf(one), one] as const))('%s', (_, { system, options }) => {
    afterEach(() => setBackend('auto'));

    it.each(pieces)('places rows about as long as a piece of %i bytes', (piece) => {
      const made = make(system, options);
      for (const character of ['a', 'é']) {
        const texts = rowsAbout(piece, character);
        const bytes = bytesColumn(texts.map(utf8), 3);
        setBackend('bigint');
        const tokens = made.tokens(texts);
        setBackend('wasm');
        expect(made.tokens(texts)).toEqual(tokens);
        expect(made.tokens(bytes)).toEqual(tokens);
        expect(Uint32Array.from(texts, (text) => made.route(text))).toEqual(made.routeMany(bytes));
      }
    });
  });
}
