import { posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { declarationsIn, sourcesIn } from './sources.js';

const sources = new Map(sourcesIn('src').map(({ path, text }) => [path, text]));

/** The modules that make the entries of the package. */
const ENTRIES = [...sources.keys()].filter(
  (path) =>
    /^src\/([a-z-]+\/)?index\.ts$|^src\/registry\/stores\/[a-z]+\/store\.ts$|^src\/engines\/sqlite\/functions\.ts$/.test(
      path,
    ) && !/\/guess\//.test(path),
);

/** The layouts of `shardbits/ids` have no methods for columns; otherwise they are those of `shardbits`. */
const OF_IDS = ['defineLayout', 'layouts', 'parseLayout'].map((name) => `src/ids/index.ts ${name}`);

const known = new Map<string, Map<string, string>>();

/** What a module exports: each name, with the file that declares it and its name there. */
function exportsOf(path: string): Map<string, string> {
  const before = known.get(path);
  if (before) return before;
  const text = sources.get(path) ?? '';
  const declared = declarationsIn({ path, text }).filter(({ isExported }) => isExported);
  const names = new Map(declared.map(({ name }) => [name, `${path} ${name}`]));
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements) {
    if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier || !statement.exportClause) continue;
    const { text: specifier } = statement.moduleSpecifier as ts.StringLiteral;
    const found = exportsOf(posix.join(posix.dirname(path), specifier).replace(/js$/, 'ts'));
    for (const { name, propertyName = name } of (statement.exportClause as ts.NamedExports).elements) {
      names.set(name.text, found.get(propertyName.text) ?? `${specifier} ${propertyName.text}`);
    }
  }
  known.set(path, names);
  return names;
}

describe('names', () => {
  it('that the package exports are of one thing each, whatever the entry', () => {
    const things = new Map<string, Set<string>>();
    for (const [name, thing] of ENTRIES.flatMap((entry) => [...exportsOf(entry)])) {
      if (!OF_IDS.includes(thing)) things.set(name, (things.get(name) ?? new Set()).add(thing));
    }
    expect(things.size).toBeGreaterThan(150);
    expect([...things].filter(([, places]) => places.size > 1)).toEqual([]);
  });

  it('of exports are never `then`, as `await import()` of the module would never end', () => {
    const some = [...sources].filter(([, text]) => /\bthen\b(?!\()/.test(text));
    const all = some.flatMap(([path, text]) => declarationsIn({ path, text }));
    expect(all.filter(({ name, isExported }) => isExported && name === 'then')).toEqual([]);
  });
});
