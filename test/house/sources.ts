import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** A file of src/ or assembly/. */
export interface Source {
  /** From the top of the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** All files of a folder that are written in TypeScript, except generated ones. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(generated|d)\.ts$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(...path.split('/')), 'utf8') }));
}

/** What a file imports or re-exports, types included: the path of a file without its extension, or else the specifier. */
export function importsOf({ path, text }: Source): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName;
    return posix.join(posix.dirname(path), fileName).replace(/\.jsx?$/, '');
  });
}

/** What a file declares at its top level. */
export function declarationsIn({ path, text }: Source): { name: string; isType: boolean; isExported: boolean }[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  return file.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (isType || ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement)) {
      const name = statement.name?.text ?? '';
      return [{ name, isType: isType || ts.isClassDeclaration(statement), isExported }];
    }
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [{ name: name.text, isType: false, isExported }] : [],
    );
  });
}
