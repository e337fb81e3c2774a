import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** A file of src/, bench/, test/ or assembly/. */
export interface Source {
  /** From the top of the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** All files of a folder that are written in TypeScript, except generated and installed ones. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(generated|d)\.ts$|\/node_modules\//.test(path))
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

/** The names that a file uses and does not declare anywhere, types included, among some names. */
export function freeNamesIn({ path, text }: Source, among: readonly string[]): string[] {
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && among.includes(node.text)) {
      const { parent } = node;
      const isName = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
      const isForeign = 'propertyName' in parent && parent.propertyName === node; // in another module or object
      if (!isName && !isForeign && !(ts.isQualifiedName(parent) && parent.right === node)) used.add(node.text);
      else if (isName && DECLARATIONS.has(parent.kind)) declared.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...used].filter((name) => !declared.has(name));
}

/** What makes a name one of the file. Others, such as properties, name a part of something. */
const DECLARATIONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.VariableDeclaration,
  ts.SyntaxKind.BindingElement,
  ts.SyntaxKind.Parameter,
  ts.SyntaxKind.ImportClause,
  ts.SyntaxKind.ImportSpecifier,
  ts.SyntaxKind.NamespaceImport,
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.FunctionExpression,
  ts.SyntaxKind.ClassDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
]);

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
