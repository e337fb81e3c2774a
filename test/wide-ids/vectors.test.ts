import { describe, expect, it } from 'vitest';
import { timesOf, wideIdKindOf } from '../../src/wide-ids/index.js';
import { UUIDS_WITHOUT_TIME, WIDE_ID_VECTORS } from '../vectors/wide-ids.js';
import { columnOf } from './texts.js';
import { nearestMs, READERS } from './written.js';

describe('known ids', () => {
  it.each(WIDE_ID_VECTORS)('$kind $text is of $ms', ({ kind, text, ms }) => {
    expect(timesOf([text], kind)).toEqual(Float64Array.of(ms));
    expect(timesOf(columnOf([text]), kind)).toEqual(Float64Array.of(ms));
    expect(wideIdKindOf(text)).toBe(kind);
    expect(nearestMs(READERS[kind](text) as bigint)).toBe(ms);
  });

  it.each(
    WIDE_ID_VECTORS.filter(({ kind }) => ['uuid', 'ulid', 'objectid'].includes(kind)),
  )('$kind $text is read in either case', ({ kind, text, ms }) => {
    const texts = [text.toLowerCase(), text.toUpperCase(), text.toLowerCase().replace(/[a-z]/, (a) => a.toUpperCase())];
    expect([...timesOf(texts, kind)]).toEqual([ms, ms, ms]);
    for (const one of texts) expect(wideIdKindOf(one)).toBe(kind);
  });

  it.each(WIDE_ID_VECTORS.filter(({ kind }) => kind === 'uuid'))('$text is read without hyphens', ({ text, ms }) => {
    expect([...timesOf([text.replaceAll('-', '')], 'uuid')]).toEqual([ms]);
    expect(wideIdKindOf(text.replaceAll('-', ''))).toBe('uuid');
  });

  it.each(UUIDS_WITHOUT_TIME)('$text has no time', ({ text, version }) => {
    const reason =
      version === undefined
        ? 'a UUID of RFC 9562, whose 17th digit is 8, 9, a or b (a UUID of another variant has no time)'
        : `a UUID of version 1, 6 or 7 (a UUID of version ${version} has no time)`;
    const problem = { name: 'RangeError', argument: 'texts', row: 1, expected: reason, got: text };
    const timed = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
    expect(() => timesOf([timed, text, timed], 'uuid')).toThrow(expect.objectContaining(problem));
    expect(() => timesOf(columnOf([timed, text]), 'uuid')).toThrow(expect.objectContaining(problem));
    expect(wideIdKindOf(text)).toBe('uuid');
    expect(wideIdKindOf(text.replaceAll('-', ''))).toBe('uuid');
  });
});
