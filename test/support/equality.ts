import { expect } from 'vitest';
import { sameBytes } from './bytes.js';

// Makes `toEqual` fast for columns: Vitest compares typed arrays element by element, which takes seconds for a million.
// Arrays of one class with the same bytes are equal. Vitest compares all others, and shows where they differ.
expect.addEqualityTesters([
  (a, b) => {
    const isSame = ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor && sameBytes(a, b);
    return isSame ? true : undefined;
  },
]);
