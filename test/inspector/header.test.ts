import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';

const CODES = ['CUbHfhpswxt', 'CgL9BRHJ4ns', 'DItX5KfIw3Z', 'DZ40OG8GDqF'];

const viewOf = (text: string) => new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 10, 23)).view(DEFAULTS);

describe('the first line of a column', () => {
  it('is not a header if it looks like the lines below it', () => {
    for (const lines of [CODES, ['3UbHfhpswxt', '1UbHfhpsw2t', '2UbHfhpsw3t']]) {
      const view = viewOf(lines.join('\n'));
      expect([view.header, view.rows]).toEqual([false, lines.length]);
    }
  });

  it('is a header otherwise', () => {
    for (const name of ['id', 'code', 'short_codes', 'identifiers']) {
      const view = viewOf([name, ...CODES.slice(1)].join('\n'));
      expect([view.header, view.rows], name).toEqual([true, 3]);
    }
    expect(viewOf('tweet_id_as_decimal\n1541815603606036480').header).toBe(true);
  });
});
