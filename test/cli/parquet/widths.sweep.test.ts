import { it } from 'vitest';
import { expectRefused, OTHER_WIDTHS, ROADS } from './widths.js';

it.each(OTHER_WIDTHS)('%s hashes other columns in other ways: they are refused on every road', async (...one) => {
  await expectRefused(...one, ROADS);
});
