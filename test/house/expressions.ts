import ts from 'typescript';
import { sourcesIn } from './sources.js';

/** A regular expression of the sources. */
export interface Expression {
  readonly place: string;
  readonly regex: RegExp;
}

/** All regular expressions in a folder: literals, and what `RegExp` is made from. */
export function expressionsIn(folder: string): Expression[] {
  return sourcesIn(folder).flatMap(({ path, text }) => {
    const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
    const constants = new Map<string, ts.Expression>();
    const made: { readonly node: ts.Node; readonly source: string; readonly flags: string }[] = [];
    const collect = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer !== undefined) {
        constants.set(node.name.getText(), node.initializer);
      }
      ts.forEachChild(node, collect);
    };
    /** What an expression says, as far as this file does; `x` for what only a run could tell. */
    const textOf = (node: ts.Expression | undefined): string => {
      if (node === undefined) return '';
      if (ts.isStringLiteralLike(node)) return node.text;
      if (ts.isRegularExpressionLiteral(node)) return sourceOf(node.text).source;
      if (ts.isTaggedTemplateExpression(node)) return templateText(node.template, true);
      if (ts.isTemplateExpression(node)) return templateText(node, false);
      if (ts.isIdentifier(node)) return constants.has(node.text) ? textOf(constants.get(node.text)) : 'x';
      if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return textOf(node.expression);
      return 'x';
    };
    const templateText = (template: ts.TemplateLiteral, isRaw: boolean): string => {
      const partOf = (part: ts.TemplateLiteralLikeNode) => (isRaw ? (part.rawText ?? part.text) : part.text);
      if (ts.isNoSubstitutionTemplateLiteral(template)) return partOf(template);
      const rest = template.templateSpans.map(({ expression, literal }) => textOf(expression) + partOf(literal));
      return partOf(template.head) + rest.join('');
    };
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) made.push({ node, ...sourceOf(node.text) });
      const isMade = ts.isNewExpression(node) || ts.isCallExpression(node);
      if (isMade && node.expression.getText() === 'RegExp') {
        const [source, flags] = node.arguments ?? [];
        made.push({ node, source: textOf(source), flags: textOf(flags) });
      }
      ts.forEachChild(node, visit);
    };
    collect(file);
    visit(file);
    return made.map(({ node, source, flags }) => {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      return { place: `${path}:${line}`, regex: new RegExp(source, flags) };
    });
  });
}

function sourceOf(literal: string): { source: string; flags: string } {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

/** Characters of all classes, one of each kind. */
const CHARACTERS = [...'a0 ."\t\nA-_,;1:"\'/\\|=@<>()[]{}&%+#?*!$^~`x\0\u00e9\u2500\u2502'];

/** So many characters of a class are tried. */
const MAX_CHARACTERS = 4;

/** What a part of an expression may stand for. */
interface Part {
  /** A text that fits it. */
  readonly text: string;
  /** Characters that fit it. */
  readonly characters: readonly string[];
}

/**
 * Long texts, each of which an expression may read again and again: the start of what fits it, many times; and what comes
 * before a repeated part, this part many times, and something that does not fit.
 */
export function* hostileTexts({ source, flags }: RegExp, length: number): Generator<string> {
  const many = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
  const texts = new Set<string>();
  for (const parts of sequencesOf(source, flags.replace(/[gy]/g, ''))) {
    let before = '';
    for (const { text, characters } of parts) {
      for (const character of characters) {
        texts.add(many(character));
        texts.add(before + many(character));
      }
      before += text;
      if (before !== '') texts.add(many(before));
    }
  }
  for (const text of texts) {
    yield text;
    yield `${text}\u0001`;
    yield `\u0001${text}\u0001`;
  }
}

/** The alternatives of an expression, and of its groups, each as a sequence of parts. */
function sequencesOf(source: string, flags: string): Part[][] {
  const all: Part[][] = [];
  const fitting = (atom: string): string[] => {
    const regex = new RegExp(`^(?:${atom})$`, flags);
    const all = new Set(
      [...(atom.length === 1 ? atom : ''), ...CHARACTERS].filter((character) => regex.test(character)),
    );
    return [...all].slice(0, MAX_CHARACTERS);
  };
  let at = 0;
  /** Reads up to the end of a group. @returns a text that fits it */
  const read = (before: readonly Part[]): Part => {
    let [parts, first]: [Part[], string | undefined] = [[...before], undefined];
    const characters = new Set<string>();
    const finish = () => {
      all.push(parts);
      first ??= parts
        .slice(before.length)
        .map(({ text }) => text)
        .join('');
      parts = [...before];
    };
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        finish();
        continue;
      }
      const part = readAtom(parts);
      const [quantifier = ''] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at)) ?? [];
      at += quantifier.length;
      const [, times = '1'] = /^\{(\d+)/.exec(quantifier) ?? [];
      parts.push({ ...part, text: part.text.repeat(Math.min(Number(times), 40)) });
      for (const character of part.characters) characters.add(character);
    }
    finish();
    at++;
    return { text: first ?? '', characters: [...characters] };
  };
  const readAtom = (before: readonly Part[]): Part => {
    const rest = source.slice(at);
    const [group] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest) ?? [];
    if (group !== undefined) {
      at += group.length;
      const part = read(before);
      return /[=!]$/.test(group) ? { ...part, text: '' } : part;
    }
    const [atom] =
      /^(?:\[(?:\\[\s\S]|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\k<\w+>|\\[\s\S]|[\s\S])/.exec(
        rest,
      ) ?? [''];
    at += atom.length;
    if (/^(?:[$^]|\\[bB]|\\[1-9]|\\k.*)$/.test(atom)) return { text: '', characters: [] };
    const characters = fitting(atom);
    return { text: characters[0] ?? '', characters };
  };
  read([]);
  return all;
}
