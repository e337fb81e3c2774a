// What the search of the site knows of a page. A browser loads all of the index, so that it has to stay small.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

interface Section {
  readonly anchor: string;
  /** The heading, after those above it. */
  readonly titles: string[];
  readonly text: string;
}

/** A word of the text in more sections than this says nothing of one of them. The words of headings are all found. */
const MAX_SECTIONS = 50;

/** Words that say nothing in a text, beside those in more sections. */
const COMMON = new Set(
  `about add after again alone already also any ask back because become been before beside better between both but call
  called cannot come const did else end even everything everywhere except exist far few find five four get give given go
  goe here hold how instead into itself keep known last later leave left less let lie like long look made many mean most
  much must never next nobody none nothing now once order otherwise out over own part place put see set several show
  since some something stand start stay still stop take taken tell than these those three together too turn unless until
  up way were whatever while who whole whose within work would written yet your`.split(/\s+/),
);

/** Pages that only repeat what others say. */
const LISTS = ['index.md', 'guides/index.md', 'reference/index.md'];

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** What is searched: headings and text. The headings above are only shown. */
export const SEARCHED_FIELDS = ['title', 'text'];

/**
 * A word as it is indexed and looked for: "weights" is "weight", "redis" stays. The page has a copy of this function, so
 * that it can use nothing else.
 */
export const termOf = (word: string): string => word.toLowerCase().replace(/(?<=\w\w[^siu])s$/, '');

/** The words of a text, each once, except for numbers and what looks like an example of an id. */
function termsOf(text: string): string[] {
  const words = text.match(/(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map(termOf))].filter((word) => word.length < 24 && (word.match(/\d/g)?.length ?? 0) < 4);
}

/** A heading as its reader sees it. */
const plain = (heading: string): string =>
  heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\\(.)|[`*]/g, '$1')
    .trim();

interface Part {
  readonly level: number;
  readonly title: string;
  text: string;
}

/** The parts of a page: each heading, and what is below it up to the next one. */
function partsOf(markdown: string): Part[] {
  const parts: Part[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, heading = ''] = (!isCode && /^(#+) (.*)$/.exec(line)) || [];
    const last = parts.at(-1);
    if (marks !== undefined) parts.push({ level: marks.length, title: plain(heading), text: '' });
    else if (last !== undefined) last.text += `${line}\n`;
  }
  return parts;
}

/** The first sentence of an export or a method. */
function firstSentence(text: string): string {
  const paragraphs = text.replace(/^```[\s\S]*?^```/gm, '').split('\n\n');
  return paragraphs.find((paragraph) => /^\s*[\w`[]/.test(paragraph))?.split(/\.\s/)[0] ?? '';
}

/** The names of properties, and of options such as `options.out`, in the tables of the reference. */
const namesIn = (text: string): string =>
  Array.from(text.matchAll(/^\| (?:<a [^>]*><\/a> `|`\w+\.)(\w+)/gm), ([, name]) => name).join(' ');

/** The sections of a page: of a guide those below its headings, of the reference the exports and the methods. */
function sectionsOf(page: string, markdown: string): Section[] {
  const isReference = page.startsWith('reference/');
  const sections: { anchor: string; titles: string[]; text: string }[] = [];
  const seen = new Map<string, number>();
  const above: string[] = [];
  for (const { level, title, text } of partsOf(markdown)) {
    const slug = anchorOf(title);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    above.length = level - 1;
    above[level - 1] = title;
    const anchor = before === 0 ? slug : `${slug}-${before}`;
    const last = sections.at(-1);
    if (!isReference) {
      sections.push({ anchor, titles: above.filter(Boolean), text: text.replace(/\]\([^)]*\)/g, ']') });
    } else if (last !== undefined && (level === 3 || level > 4 || /^Constructor$|^\[/.test(title))) {
      last.text += ` ${namesIn(text)}`; // such as "Properties" or "Returns"
    } else if (!/^\s*Re-exports /.test(text)) {
      const titles = level === 4 ? [above[1] ?? '', title] : above.filter(Boolean);
      sections.push({ anchor, titles, text: firstSentence(text) });
    }
  }
  return sections;
}

/** For VitePress: the sections of a page that the search knows, by the page's path. */
export function searchedSections(folder: string): (path: string) => Section[] {
  const nameOf = (path: string) => relative(folder, path).replaceAll('\\', '/'); // as Windows has it
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const pages = new Map(
    files.map((file) => {
      const [path, page] = [join(folder, file), nameOf(join(folder, file))];
      return [page, sectionsOf(page, readFileSync(path, 'utf8'))];
    }),
  );
  const counts = new Map<string, number>();
  for (const { text } of [...pages.values()].flat()) {
    for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return (path) => {
    const page = nameOf(path);
    if (LISTS.includes(page)) return [];
    return (pages.get(page) ?? []).map((section) => {
      const own = termsOf(section.titles.at(-1) ?? '');
      const terms = termsOf(section.text).filter(
        (term) => !COMMON.has(term) && (counts.get(term) ?? 0) <= MAX_SECTIONS,
      );
      return { ...section, text: terms.filter((term) => !own.includes(term)).join(' ') };
    });
  };
}
