import fc from 'fast-check';

/** Any character but half of a surrogate pair. The unit `binary` of fast-check takes a second to be made. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
