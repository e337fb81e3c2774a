import { it } from 'vitest';
import { sweep } from './parts.js';
import { expectRefused, expectTextsRefused, OTHER_WIDTHS, ROADS, TEXTS } from './widths.js';
import { widthsCases } from './widths-cases.js';

widthsCases(sweep);

it.each(OTHER_WIDTHS)('%s hashes other columns in other ways: they are refused on every road', async (...one) => {
  await expectRefused(...one, ROADS);
});

it('enumerations and JSON are refused where systems do not hash their text: all systems', () =>
  expectTextsRefused(TEXTS));
