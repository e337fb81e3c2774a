import { readdirSync, readFileSync } from 'node:fs';

/** A fenced block. */
export interface Fenced {
  readonly language: string;
  readonly text: string;
  /** The number of its first line, from 1. */
  readonly line: number;
}

export interface MarkdownPage {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Fenced[];
}

const SITE = 'docs/site/index.md';

/** Every page that users read: README.md and the others beside it, docs/, the first page of the site, and examples. */
export function markdownPages(): MarkdownPage[] {
  const examples = readdirSync('docs/examples').map((name) => `docs/examples/${name}/README.md`);
  const pages = [...readdirSync('.'), ...readdirSync('docs').map((name) => `docs/${name}`), SITE, ...examples];
  return pages.filter((path) => path.endsWith('.md')).map(pageOf);
}

function pageOf(path: string): MarkdownPage {
  const text = readFileSync(path, 'utf8');
  return { path, text, blocks: blocksIn(text) };
}

/** The fenced blocks of a text. */
export function blocksIn(text: string): Fenced[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: block = '', index }) => ({
    language,
    text: block,
    line: text.slice(0, index).split('\n').length + 1,
  }));
}

/** A text without its blocks. */
export function withoutBlocks(text: string): string {
  return text.replace(/^```\w*\n[\s\S]*?^```$/gm, '');
}

/** A statement of docs/sql.md, by the comment above it. Tests run the documented statements. */
export function documentedSql(title: string): string {
  const found = sqlStatements().find((statement) => statement.startsWith(`-- ${title}\n`));
  if (found === undefined) throw new Error(`docs/sql.md has no statement under "-- ${title}"`);
  return found;
}

/** All statements of docs/sql.md, each with its comment. */
export function sqlStatements(): string[] {
  const blocks = pageOf('docs/sql.md').blocks.filter(({ language }) => language === 'sql');
  return blocks.flatMap(({ text }) => text.split(/;\s*/)).filter((statement) => statement !== '');
}

/**
 * The commands in a section of a page: those in its blocks, and those in backquotes in its text. A pipe ends a command.
 * @param heading of the section, which ends at the next one of any level
 */
export function commandsIn(path: string, heading: string): string[] {
  const { text } = pageOf(path);
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${path} has no section "${heading}"`);
  const blocks = blocksIn(section).flatMap(({ text: block }) => {
    const lines = block.split('\n');
    return lines.some((line) => line.startsWith('$ ')) ? lines.filter((line) => line.startsWith('$ ')) : lines;
  });
  const quoted = Array.from(withoutBlocks(section).matchAll(/`([^`]+)`/g), ([, code = '']) => code);
  return [...blocks, ...quoted].map((line) => line.replace(/^\$ /, '').replace(/ \| .*/, ''));
}
