// The site, as VitePress makes it from the pages in build/docs. docs/site/build.ts runs this from the root.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { guideGroups, onSite } from '../pages.js';
import { anchorOf, SEARCHED_FIELDS, searchedSections, termOf } from '../search.js';
import { accessible } from './accessible.js';

const { version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '');
const base = process.env.SITE_BASE ?? '/';
const modules: { name: string; path: string }[] = JSON.parse(readFileSync('build/docs/reference/modules.json', 'utf8'));
const api = modules.map(({ name, path }) => ({ text: name, link: `/reference/${path}` }));

const sidebar = guideGroups().map(({ title, guides }) => ({
  text: title,
  items: [
    ...guides.map(({ name, path }) => ({ text: name, link: `/${onSite(path)}` })),
    ...(title === 'Reference' ? [{ text: 'API', link: '/reference/', collapsed: true, items: api }] : []),
  ],
}));

export default defineConfig({
  title: 'shardbits',
  description: 'Route keys to shards; read and make 64-bit ids.',
  base,
  srcDir: '../../build/docs',
  outDir: '../../site',
  cacheDir: '../../build/vitepress',
  head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
  ignoreDeadLinks: true, // links.ts checks the finished site, anchors included
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    attrs: { disable: true }, // GitHub has none of these: braces and colons are text
    config(md) {
      md.disable('emoji');
      // An empty corner of a table is no heading.
      md.core.ruler.push('corner', ({ tokens }) => {
        tokens.forEach((token, i) => {
          if (token.type === 'th_open' && tokens[i + 1]?.content === '') token.tag = tokens[i + 2].tag = 'td';
        });
      });
    },
  },
  vite: { plugins: [accessible] },
  transformPageData(page) {
    if (page.relativePath.startsWith('reference/'))
      Object.assign(page.frontmatter, { editLink: false, outline: 2, pageClass: 'reference' });
  },
  themeConfig: {
    notFound: {
      title: 'Page not found',
      quote: 'The search may find it.',
      linkLabel: 'Go to the first page',
      linkText: 'Go to the first page',
    },
    logo: '/icon.svg',
    nav: [
      { text: 'Guides', link: '/guides/', activeMatch: '/guides/' },
      { text: 'API', link: '/reference/', activeMatch: '/reference/' },
      { text: 'Inspector', link: '/inspector/index.html', target: '_self' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: `${REPOSITORY}/blob/main/CHANGELOG.md` },
          { text: 'Security', link: `${REPOSITORY}/blob/main/SECURITY.md` },
        ],
      },
    ],
    sidebar,
    outline: [2, 3],
    editLink: {
      pattern: ({ frontmatter }) => `https://github.com/shardbits/shardbits/edit/main/${frontmatter.source}`,
      text: 'Edit this page',
    },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    search: {
      provider: 'local',
      options: {
        _render: (markdown) => markdown, // the sections are made of the Markdown
        miniSearch: {
          options: { fields: SEARCHED_FIELDS, processTerm: termOf },
          // Guides come before the reference, unless the words are those of an export or an option.
          searchOptions: {
            boostDocument: (id) => (id.includes('/reference/') ? 0.7 : 1),
            fuzzy: (term) => (term.length > 4 ? 0.2 : false), // else "goes" finds "does"
          },
          _splitIntoSections: searchedSections('build/docs'),
        },
      },
    },
  },
});
