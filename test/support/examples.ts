// Runs a block of TypeScript, and compares the results of its statements with the comments after them.
import { format, inspect } from 'node:util';
import ts from 'typescript';
import { expect } from 'vitest';

type Load = (name: string) => Promise<object>;

/** Compares the result of a statement with its comment. The result is in an array, so that a promise is not awaited. */
type Claim = (comment: string, run: () => Promise<[value: unknown]>) => Promise<void>;

type Example = (load: Load, claim: Claim, console: { log(...values: unknown[]): Printed }) => Promise<void>;

/** Collects the output of console.log. */
class Printed {
  constructor(readonly text: string) {}
}

/**
 * Runs a block. A comment after a statement, on its last line, is its result: the value of an expression, the output of
 * `console.log`, the value of a constant, or an error as `RangeError: its message`. Other comments are on their own lines,
 * or inside a statement.
 */
export async function runExample(block: string, load: Load): Promise<void> {
  const log = (...values: unknown[]) => new Printed(format(...values));
  await asFunction(block)(load, claim, { log });
}

async function claim(comment: string, run: () => Promise<[value: unknown]>): Promise<void> {
  const [, name, message] = /^(\w*Error): (.*)$/.exec(comment) ?? [];
  if (name === undefined) return expect(shown((await run())[0])).toBe(comment);
  await expect(run()).rejects.toMatchObject({ name, message });
}

/** A value in the notation of the examples: arrays without their length. */
function shown(value: unknown): string {
  if (value instanceof Printed) return value.text;
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 5 })
    .replace(/Array\(\d+\) \[/g, 'Array [')
    .replace(/\[ (.*?) \]/g, '[$1]');
}

function asFunction(block: string): Example {
  const body = `async function example(load, claim, console) {\n${withClaims(block)}\n}`;
  const compilerOptions = { target: ts.ScriptTarget.ES2022 };
  return new Function(`${ts.transpileModule(body, { compilerOptions }).outputText}\nreturn example;`)();
}

function withClaims(block: string): string {
  const file = ts.createSourceFile('example.ts', block, ts.ScriptTarget.Latest, true);
  let claims = 0;
  const statements = file.statements.map((statement) => {
    const text = statement.getFullText();
    if (ts.isImportDeclaration(statement)) return loaded(statement);
    const comment = /^[ \t]*\/\/ (.*)/.exec(block.slice(statement.end))?.[1];
    if (comment === undefined) return text;
    claims++;
    if (ts.isExpressionStatement(statement)) {
      return `await claim(${JSON.stringify(comment)}, async () => [${statement.expression.getText()}]);`;
    }
    const name = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0]?.name : undefined;
    if (name === undefined || !ts.isIdentifier(name)) throw new Error(`the comment is not checked: ${comment}`);
    return `${text}\nawait claim(${JSON.stringify(comment)}, async () => [${name.text}]);`;
  });
  const comments = block.match(/;[ \t]*\/\/ .*/g) ?? [];
  if (comments.length !== claims) throw new Error(`some comments are not checked:\n${comments.join('\n')}`);
  return statements.join('\n');
}

/** An import as a statement that a function may contain. */
function loaded({ importClause: clause, moduleSpecifier }: ts.ImportDeclaration): string {
  if (clause === undefined || clause.isTypeOnly) return '';
  const names = clause.name === undefined ? [] : [`default: ${clause.name.text}`];
  const bindings = clause.namedBindings;
  if (bindings !== undefined && ts.isNamespaceImport(bindings)) {
    return `const ${bindings.name.text} = await load(${moduleSpecifier.getText()});`;
  }
  for (const { isTypeOnly, propertyName, name } of bindings?.elements ?? []) {
    if (!isTypeOnly) names.push(propertyName === undefined ? name.text : `${propertyName.getText()}: ${name.text}`);
  }
  return `const { ${names.join(', ')} } = await load(${moduleSpecifier.getText()});`;
}
