import { describe, expect, it } from 'vitest';
import { expressionsIn, hostileTexts } from './expressions.js';

// A linear expression takes 0.2 ms at most for the longest texts, and a quadratic one 37 or more, also on a fast machine.
const LENGTHS = [28, 500, 4000, 20_000];
const MAX_MS = 10;

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

// What never sees long texts: the 300 characters before an id, the first 1,000 of a line, the page's own script, and patterns
// of files, which people type.
const NEVER_LONG =
  /^src\/(?:inspector\/decode\/context\/|node\/jobs\/guessed-ids\.ts.*\\b\[\\w-\]|inspector\/build\.ts|tokens\/patterns\.ts.*\{1,8\}|node\/files\/matching\.ts)/;

describe('regular expressions', () => {
  it.each([
    /^0+|0+$/g,
    /a.*b/,
    /(?:foo|bar) .*z/,
    /<[^>]*>/,
    /^(a+)+$/,
    /x(?: *,? *)y/,
    /[ab]+c|d/,
  ])('that read some text again and again are found: %s', (regex) => expect(slowText(regex)).toBeDefined());

  it.each([/^0+$/, /(?<!0)0+$/, /"[^"]*"?/, /^(?:a|b)+c/, /^[^ ]* [^ ]*$/])('that do not are not: %s', (regex) => {
    expect(slowText(regex)).toBeUndefined();
  });

  const all = expressionsIn('src');

  it('are found in the sources', () => {
    expect(all.length).toBeGreaterThan(300);
  });

  it.each(
    all.filter(({ place, regex }) => !NEVER_LONG.test(`${place} ${regex.source}`)),
  )('read no text again and again: $place $regex', ({ regex }) => expect(slowText(regex)).toBeUndefined());
});
