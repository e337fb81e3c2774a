import { expect, it } from 'vitest';
import { ratioRange } from '../../bench/page-tables.js';

it.each([
  [[2.04, 2.61, 2.3], '2.0 to 2.6'],
  [[2.04, 2.01], '2.0'],
  [[0.61, 0.87], '0.61 to 0.87'],
  [[0.92, 0.97], 'about as fast (0.92 to 0.97)'],
  [[0.9, 1.1], 'about as fast (0.90 to 1.1)'],
  [[0.88, 1.26], 'about as fast (0.88 to 1.3)'],
  [[0.88, 0.97], '0.88 to 0.97'],
  [[1.05, 1.2], '1.1 to 1.2'],
  [[0.7, 1.06], '0.70 to 1.1'],
])('the ratios %j are shown as %s: about as fast is within 0.9 to 1.1, or around 1 and not wide', (ratios, text) => {
  expect(ratioRange(ratios)).toBe(text);
});
