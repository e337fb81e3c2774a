import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenLinks } from '../../docs/site/links.js';
import { guideGroups, listModules, onSite, withLinksOnSite } from '../../docs/site/pages.js';
import { anchorOf, searchedSections } from '../../docs/site/search.js';
import { temporaryFolder } from '../support/cli.js';

/** What is broken in the page a.html, which stands beside b/index.html with the anchor `b<c`. */
function brokenIn(html: string, base?: string): string[] {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'b'));
  writeFileSync(join(folder, 'b/index.html'), '<h1 class="x" id="b&lt;c">B</h1>');
  writeFileSync(join(folder, 'a.html'), html);
  return brokenLinks(folder, base).map((problem) => problem.slice(problem.indexOf(': ') + 2));
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

  it('may begin with the address of the site', () => {
    const html = '<a href="/b/"><a href="/b/#gone"><a href="/there/b/">';
    expect(brokenIn(html)).toEqual(['/b/#gone', '/there/b/']);
    expect(brokenIn(html, '/there/')).toEqual(['/b/', '/b/#gone']);
  });
});

describe('the links of a guide, on the site', () => {
  it.each([
    ['[a](operating.md#errors)', '[a](operating.md#errors)'],
    ['[a](../README.md#x)', '[a](https://github.com/shardbits/shardbits/blob/main/README.md#x)'],
    ['[a](README.md)', '[a](index.md)'],
    ['[a](examples/reshard-postgres/README.md)', '[a](reshard-postgres.md)'],
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

describe('the groups of the sidebar', () => {
  it('are the sections of docs/README.md', () => {
    const groups = guideGroups();
    expect(groups.map(({ title }) => title)).toEqual(['Start', 'Place keys', 'Ids', 'Operate', 'Reference']);
    expect(groups.filter(({ guides }) => guides.length < 4)).toEqual([]);
    expect(groups[0]?.guides[0]).toMatchObject({ path: 'docs/getting-started.md', name: 'Getting started' });
  });

  it('have a page of its own for each guide', () => {
    const pages = guideGroups().flatMap(({ guides }) => guides.map(({ path }) => onSite(path)));
    expect(pages).toContain('guides/reshard-postgres.md');
    expect(new Set(pages).size).toBe(pages.length);
  });
});

it('the list of modules becomes a table that says what each is for', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'index.md'), '# shardbits v0.1.0\n\n## Modules\n\n- [shardbits/sql](shardbits/sql.md)\n');
  mkdirSync(join(folder, 'shardbits'));
  writeFileSync(join(folder, 'shardbits/sql.md'), '# shardbits/sql\n\nSQL that routes\nkeys.\n\n## sql()\n');
  expect(listModules(folder)).toEqual([{ name: 'shardbits/sql', path: 'shardbits/sql.md' }]);
  expect(readFileSync(join(folder, 'index.md'), 'utf8')).toContain(
    '| [`shardbits/sql`](shardbits/sql.md) | SQL that routes keys. |\n',
  );
});

describe('the search', () => {
  /** What is known of the page kafka.md among the guides, or in another folder. */
  function sectionsOf(markdown: string, folder = 'guides'): object[] {
    const root = temporaryFolder();
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'kafka.md'), markdown);
    return searchedSections(root)(join(root, folder, 'kafka.md'));
  }

  it('finds the words of a section, those in code too, below its heading', () => {
    const text =
      '# Kafka\n\nClients.\n\n## `--as` and *you*\n\n[Keys](a.md#gone) `murmur2`\n\n```sh\n# no heading\n```\n';
    expect(sectionsOf(text)).toEqual([
      { anchor: 'kafka', titles: ['Kafka'], text: 'client' },
      { anchor: '--as-and-you', titles: ['Kafka', '--as and you'], text: 'key murmur2 sh no heading' },
    ]);
  });

  it('knows nothing of numbers, ids, and words that are in more than 50 sections', () => {
    const sections = Array.from(
      { length: 51 },
      (_, i) => `## S\n\nshards 1024 a1b2c3d4e5 0x7f ${i < 50 ? 'rare' : ''}\n`,
    );
    expect(sectionsOf(sections.join('\n'))[0]).toEqual({ anchor: 's', titles: ['S'], text: 'rare' });
  });

  it('finds the exports and methods of the reference by their first sentence, and options by their names', () => {
    const table = '| <a id="property-ttlms"></a> `ttlMs?` | `number` | how long |';
    const text = `# m\n\n## Lease\n\nHolds a shard. More.\n\n### Properties\n\n${table}\n\n#### renew()\n\nRenews leases.\n`;
    expect(sectionsOf(text, 'reference')).toEqual([
      { anchor: 'm', titles: ['m'], text: '' },
      { anchor: 'lease', titles: ['m', 'Lease'], text: 'shard ttlm' },
      { anchor: 'renew', titles: ['Lease', 'renew()'], text: 'lease' },
    ]);
  });

  it('has the anchors that GitHub makes', () => {
    expect(anchorOf('What does `x` mean: a/b?')).toBe('what-does-x-mean-ab');
  });
});
