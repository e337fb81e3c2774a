// What editors show over `new`.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** The public constructors in a file of types, and what is written above them. */
function constructorsIn(file: string): [name: string, text: string][] {
  const source = ts.createSourceFile(file, readFileSync(`dist/${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isClassDeclaration).flatMap(({ name, members }) => {
    const made = members.filter(ts.isConstructorDeclaration);
    const shown = made.filter((one) => !(ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Private));
    return shown.map((one) => [name?.text ?? '', textOf(one)] as [string, string]);
  });
}

function textOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  return (ts.getTextOfJSDocComment(doc?.comment) ?? '').trim();
}

it('every constructor has a sentence', () => {
  const files = readdirSync('dist').filter((name) => name.endsWith('.d.ts'));
  const all = files.flatMap(constructorsIn);
  expect(all.length).toBeGreaterThan(8);
  expect(all.filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
});
