// Every figure on README.md and in docs/ comes from recorded results, a test or the code, as figures.ts says.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PAGE_TABLES } from '../../bench/page-tables.js';
import { resultsPage } from '../../bench/results-page.js';
import { markdownPages, withoutBlocks } from '../support/markdown.js';
import { FIGURES, type Source, TABLES } from './figures.js';

const NUMBER = '(?<![\\w.^-])\\d[\\d,]*(?:\\.\\d+)?';
const UNIT =
  '(?:ns|µs|ms|s|seconds|KB|MB|GB|KiB|MiB|%|times as (?:long|fast|much)|times|of our time|(?:\\w+ )?strings a second)(?!\\w)';
/** A number, or a range of two, with a unit of time, ratio, size or throughput. */
const FIGURE = new RegExp(`${NUMBER}(?: (?:to|and) ${NUMBER})?\\s?${UNIT}`, 'g');
/** What a header says above a column of measurements. */
const MEASURED = /÷|\bms\b|\bns\b|a second|bytes an? |gzip/;

const pages = markdownPages().filter(({ path }) => /^(README|docs\/[\w-]+)\.md$/.test(path));

/** The text between the lines of a mark. */
const markedIn = (text: string, mark: string): string | undefined =>
  new RegExp(`<!-- ${mark} -->\\n([\\s\\S]*?)<!-- /${mark} -->`).exec(text)?.[1]?.trim();

/** The prose of a page, and its tables except those that others compare. */
function comparedText(path: string, text: string): string {
  const known = Object.keys(TABLES[path] ?? {});
  return withoutBlocks(text)
    .replace(/<!-- (bench:\w+) -->[\s\S]*?<!-- \/\1 -->/g, '')
    .split('\n\n')
    .filter((part) => !known.some((header) => part.startsWith(header)))
    .join('\n\n')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\s+/g, ' ');
}

function problemOf(figure: string, source: Source | undefined, text: string): string | undefined {
  if (source === undefined) return `${figure}: test/docs/figures.ts does not say where it comes from`;
  if ('is' in source) return source.is() === figure ? undefined : `${figure}: has to be ${source.is()}`;
  if ('near' in source) {
    const isBare = new RegExp(`(?<!about \\[?)(?<![\\w.,])${figure.replaceAll('.', '\\.')}`).test(text);
    if (isBare) return `${figure}: the page has to say "about ${figure}"`;
    const numbers = Array.from(figure.matchAll(/\d[\d.]*/g), ([number]) => Number(number));
    const [said, values] = [numbers, source.near()].map((all) => [Math.min(...all), Math.max(...all)]);
    const isNear = values.every((value, i) => Math.abs((said[i] ?? 0) / value - 1) <= 0.25);
    return isNear
      ? undefined
      : `${figure}: has to be about ${values.map((value) => value.toPrecision(2)).join(' to ')}`;
  }
  if ('in' in source) {
    const isThere = existsSync(source.in) && readFileSync(source.in, 'utf8').includes(source.text);
    return isThere ? undefined : `${figure}: ${source.in} does not have "${source.text}"`;
  }
  return undefined;
}

describe.each(pages.map(({ path, text }) => [path, text] as const))('the figures of %s', (path, text) => {
  const sources = FIGURES[path] ?? {};
  const compared = comparedText(path, text);
  const figures = Array.from(new Set(compared.match(FIGURE)));

  it('have a source, and are what it says', () => {
    expect(figures.flatMap((figure) => problemOf(figure, sources[figure], compared) ?? [])).toEqual([]);
  });

  it('are all that the list has for it', () => {
    expect(Object.keys(sources).filter((figure) => !figures.includes(figure))).toEqual([]);
  });

  it('in tables are made of recorded results, or compared by what the list names', () => {
    const known = Object.keys(TABLES[path] ?? {});
    const headers = withoutBlocks(text)
      .replace(/<!-- (bench:\w+) -->[\s\S]*?<!-- \/\1 -->/g, '')
      .match(/^\|.*\|(?=\n\|[ :|-]+\|\n)/gm);
    const measured = (headers ?? []).filter((header) => MEASURED.test(header.replace(/`[^`]*`/g, '')));
    expect(measured.filter((header) => !known.some((beginning) => header.startsWith(beginning)))).toEqual([]);
    expect(known.filter((beginning) => !text.includes(`\n${beginning}`))).toEqual([]);
    expect(Object.values(TABLES[path] ?? {}).filter((file) => !existsSync(file))).toEqual([]);
  });
});

const tables = Object.entries(PAGE_TABLES).flatMap(([path, marks]) =>
  Object.entries(marks).map(([mark, make]) => [path, mark, make] as const),
);

it.each(tables)('%s has the table %s as `npm run bench -- report` writes it', (path, mark, make) => {
  expect(markedIn(readFileSync(path, 'utf8'), mark)).toBe(make());
});

it('bench/RESULTS.md is what `npm run bench -- report` makes of the recorded results', () => {
  expect(readFileSync('bench/RESULTS.md', 'utf8')).toBe(resultsPage());
});
