import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenLinks } from '../../docs/site/links.js';
import { withLinksOnSite } from '../../docs/site/pages.js';
import { temporaryFolder } from '../support/cli.js';

/** What is broken in the page a.html, which stands beside b/index.html with the anchor `b<c`. */
function brokenIn(html: string): string[] {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'b'));
  writeFileSync(join(folder, 'b/index.html'), '<h1 class="x" id="b&lt;c">B</h1>');
  writeFileSync(join(folder, 'a.html'), html);
  return brokenLinks(folder).map((problem) => problem.slice(problem.indexOf(': ') + 2));
}

describe('the links of the site', () => {
  it('that lead to a file, a folder with a page, an anchor or another host are not broken', () => {
    const links = [
      'b/index.html',
      'b/',
      'b#b&lt;c',
      './b/index.html#b%3Cc',
      '#here',
      'https://example.com/x',
      'mailto:a@b.c',
    ];
    expect(brokenIn(`<p id="here">${links.map((link) => `<a title="t" href="${link}">`).join('')}`)).toEqual([]);
  });

  it('that lead nowhere are found', () => {
    const html = '<a href="b/c.html"><a href="#gone"><a href="b/#c"><img alt="" src="../d.png"><a href="b/c.html">';
    expect(brokenIn(html)).toEqual(['b/c.html', '#gone', 'b/#c', '../d.png']);
  });
});

describe('the links of a guide, on the site', () => {
  it.each([
    ['[a](operating.md#errors)', '[a](operating.md#errors)'],
    ['[a](../README.md)', '[a](../README.md)'],
    ['![a](pictures/map-year.svg)', '![a](pictures/map-year.svg)'],
    ['[a](../src/index.ts)', '[a](https://github.com/shardbits/shardbits/blob/main/src/index.ts)'],
    ['[a](../test/)', '[a](https://github.com/shardbits/shardbits/tree/main/test/)'],
    [
      '![a](https://raw.githubusercontent.com/shardbits/shardbits/main/docs/pictures/map-year.svg)',
      '![a](pictures/map-year.svg)',
    ],
    ['[a](https://github.com/shardbits/shardbits/blob/main/docs/operating.md#x)', '[a](operating.md#x)'],
    ['[a](gone.md) [b](../src/gone.ts)', '[a](gone.md) [b](../src/gone.ts)'],
    ['[a](https://example.com/) [b](#b)', '[a](https://example.com/) [b](#b)'],
    ['`[a](b)` and\n```ts\nf[a](b);\n```\n', '`[a](b)` and\n```ts\nf[a](b);\n```\n'],
  ])('%s', (text, expected) => {
    expect(withLinksOnSite('docs/shard-map.md', text)).toBe(expected);
  });
});
