import { expect } from 'vitest';
import { sameBytes } from './bytes.js';

// Makes `toEqual` quick for columns: Vitest compares typed arrays an element at a time, which takes seconds for a
// million. Those of one class with the same bytes are equal; all others are left to Vitest, which shows where they differ.
expect.addEqualityTesters([
  (a, b) => {
    const isSame = ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor && sameBytes(a, b);
    return isSame ? true : undefined;
  },
]);
