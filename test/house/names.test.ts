import { describe, expect, it } from 'vitest';
import { declarationsIn, sourcesIn } from './sources.js';

// A file `x.workerd.ts` stands in for `x.ts`, so both declare the same.
const sources = sourcesIn('src').filter(({ path }) => !path.endsWith('.workerd.ts'));

/** Every name that is declared more than once, with its places. */
function repeated(isMeant: (declaration: { isType: boolean; isExported: boolean }) => boolean): string[] {
  const places = new Map<string, string[]>();
  for (const source of sources) {
    const names = declarationsIn(source).filter(isMeant);
    for (const { name } of names) places.set(name, [...(places.get(name) ?? []), source.path]);
  }
  return [...places]
    .filter(([, paths]) => new Set(paths).size > 1)
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`);
}

describe('no two things in src/ have one name', () => {
  it('types and classes', () => {
    expect(repeated(({ isType }) => isType)).toEqual([]);
  });

  it('exported functions and values', () => {
    expect(repeated(({ isType, isExported }) => isExported && !isType)).toEqual([]);
  });

  it('no module exports `then`, as `await import()` of it would never end', () => {
    expect(
      sources.filter((source) => declarationsIn(source).some(({ name, isExported }) => isExported && name === 'then')),
    ).toEqual([]);
  });
});
