// The examples compile, against the types that users have.
import { resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { markdownPages } from '../support/markdown.js';

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Every block as a module of its own, at the top of the project, from where it sees its packages and itself. */
function exampleFiles(): Map<string, string> {
  const files = markdownPages().flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language }) => language === 'ts')
      .map(({ text, line }) => [resolve(`${path.replaceAll('/', '-')}-${line}.mts`), `${text}\nexport {};\n`] as const),
  );
  // The types of Node 20 do not have what came later, and pg has none.
  return new Map([
    ...files,
    [resolve('untyped-modules.d.ts'), "declare module 'node:sqlite';\ndeclare module 'pg';\n"],
  ]);
}

it('examples compile', () => {
  const files = exampleFiles();
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  const problems = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line;
    return `${file?.fileName}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
  expect(problems).toEqual([]);
});
