import { describe, expect, it } from 'vitest';
import { expressionsIn, hostileTexts } from './expressions.js';

// A linear expression takes well below a millisecond for the longest texts, and a quadratic one a few hundred of them.
const LENGTHS = [28, 500, 4000, 20_000];
const MAX_MS = 50;

/** The time of this process that an expression takes for a text, in ms: the least of three. */
function timeOf(regex: RegExp, text: string): number {
  const all = new RegExp(regex, regex.sticky ? regex.flags : `${regex.flags.replace('g', '')}g`);
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least > MAX_MS; i++) {
    const start = process.cpuUsage();
    text.replace(all, '');
    least = Math.min(least, process.cpuUsage(start).user / 1000);
  }
  return least;
}

/** The first text for which an expression takes too long, shortened; undefined if there is none. */
function slowText(regex: RegExp): string | undefined {
  for (const length of LENGTHS) {
    for (const text of hostileTexts(regex, length)) {
      if (timeOf(regex, text) > MAX_MS) return JSON.stringify(`${text.slice(0, 30)} … ${text.slice(-10)}`);
    }
  }
  return undefined;
}

describe('regular expressions', () => {
  it.each([
    /^0+|0+$/g,
    /a.*b/,
    /(?:foo|bar) .*z/,
    /<[^>]*>/,
    /(?<=x)\s+$/,
    /^(a+)+$/,
    /x(?: *,? *)*y/,
  ])('that read some text again and again are found: %s', (regex) => expect(slowText(regex)).toBeDefined());

  const all = expressionsIn('src');

  it('are found in the sources', () => {
    expect(all.length).toBeGreaterThan(300);
  });

  it.each(all)('read no text again and again: $place $regex', ({ regex }) => {
    expect(slowText(regex)).toBeUndefined();
  });
});
