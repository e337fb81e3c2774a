import { describe, expect, it } from 'vitest';
import { compiled, RESOLUTIONS } from './compiler.js';

// Apart from the other types, as apache-arrow's bring Node's with them; and long, as the compiler checks all of those.
describe('the types over apache-arrow', () => {
  it.each(RESOLUTIONS)("compile in a consumer's program: module %s, resolution %s", (...resolution) => {
    expect(compiled('tsconfig.arrow.json', ...resolution)).toEqual(['', 0]);
  });
});
