// What pages refer to is there: other pages and their sections, pictures, files of the project, npm scripts.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { SYSTEM_NAMES } from '../../src/partitioners/systems.js';
import { blocksIn, type MarkdownPage, markdownPages, sqlStatements, withoutBlocks } from '../support/markdown.js';

/** The beginnings of addresses of files of the project. */
const ON_GITHUB =
  /^https:\/\/(?:raw\.githubusercontent\.com\/shardbits\/shardbits\/main|github\.com\/shardbits\/shardbits\/(?:blob|tree)\/main)\//;
/** Pages that npm publishes without the others. */
const PUBLISHED = ['README.md', 'CHANGELOG.md'];
const SQL_TESTS = [
  'bench/peers/sql.ts',
  'test/layout/sql-documented.test.ts',
  'test/layout/sql-in-postgres.server.test.ts',
  'test/wide-ids/sql-in-postgres.server.test.ts',
];

const pages = markdownPages();
const { scripts, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Each is a file that defines it. */
const commands = readdirSync('src/cli/commands', { recursive: true, encoding: 'utf8' })
  .filter(
    (name) =>
      name.endsWith('.ts') && /^export function define\(/m.test(readFileSync(`src/cli/commands/${name}`, 'utf8')),
  )
  .map((name) => basename(name, '.ts'));

const proseOf = ({ text }: MarkdownPage): string => withoutBlocks(text);

/** Where links and pictures of a page lead, except to other sites. */
function targetsOf(page: MarkdownPage): string[] {
  const targets = Array.from(proseOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
  return targets.filter((target) => ON_GITHUB.test(target) || !/^https?:/.test(target));
}

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(path: string): string[] {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isThere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const rooted = file.replace(ON_GITHUB, '/');
  const path = file === '' ? from : posix.join(rooted.startsWith('/') ? '.' : posix.dirname(from), rooted);
  return existsSync(path) && (anchor === undefined || anchorsOf(path).includes(anchor));
}

describe.each(pages.map((page) => [page.path, page] as const))('%s', (path, page) => {
  it('links to what is there', () => {
    expect(targetsOf(page).filter((target) => !isThere(path, target))).toEqual([]);
  });

  it('names files and scripts that are there', () => {
    const files = Array.from(page.text.matchAll(/(?<=`)(?:src|test|bench|assembly|docs|\.ci)\/[\w./-]+(?=`)/g), String);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const names = Array.from(page.text.matchAll(/\bnpm run ([\w:-]+)/g), ([, name = '']) => name);
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it('lists its sections in their order, if it is a guide of several', () => {
    const prose = proseOf(page);
    // One on each line, or as many as fit, with dots between them.
    const listed = Array.from(prose.matchAll(/(?:^- |^|· )\[[^\]]*\]\(#([^)]*)\)(?=$| ·)/gm), ([, anchor]) => anchor);
    const sections = Array.from(prose.matchAll(/^## (.*)$/gm), ([, title = '']) => title);
    if (listed.length === 0 && (sections.length < 4 || !path.startsWith('docs/'))) return;
    expect(anchorsOf(path).filter((anchor) => listed.includes(anchor))).toEqual(listed);
    expect(listed).toHaveLength(sections.length);
  });
});

it.each(PUBLISHED)('%s links by whole addresses, which work on npm and in an installed package', (path) => {
  const targets = pages.filter((page) => page.path === path).flatMap(targetsOf);
  expect(targets.filter((target) => !target.startsWith('#') && !ON_GITHUB.test(target))).toEqual([]);
});

it('README has at most 320 lines, and ten in each of its five systems', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(320);
  const [, section = ''] = /^## Five systems in ten lines each\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const systems = blocksIn(section).map(({ text }) => text.trimEnd().split('\n').length);
  expect(systems).toHaveLength(5);
  expect(Math.max(...systems)).toBeLessThanOrEqual(10);
});

it('docs/README.md lists every guide', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const guides = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
  expect(guides.filter((path) => !index.includes(`](${posix.relative('docs', path)})`))).toEqual([]);
});

it.each([
  [
    'README.md',
    Object.keys(exports).flatMap((name) =>
      /stores|[.](wasm|cjs|json)$/.test(name) ? [] : `shardbits${name.slice(1)}`,
    ),
  ],
  ['docs/layouts.md', Object.keys(layouts)],
  ['docs/partitioners.md', SYSTEM_NAMES.map((name) => `'${name}'`)],
  ['docs/files.md', commands],
] as const)('%s lists all that there is: %s', (path, names) => {
  const cells = Array.from(readFileSync(path, 'utf8').matchAll(/^\| (.*?) \|/gm), ([, cell = '']) => cell);
  const code = cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`,]*)/g), ([, name]) => name));
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !code.includes(name))).toEqual([]);
});

it('every statement of SQL is in docs/sql.md, and run or compared by its title', () => {
  expect(
    pages.filter(({ blocks }) => blocks.some(({ language }) => language === 'sql')).map(({ path }) => path),
  ).toEqual(['docs/sql.md']);
  const sources = SQL_TESTS.map((path) => readFileSync(path, 'utf8')).join('');
  const titles = sqlStatements().map((statement) => /^-- (.*)\n/.exec(statement)?.[1] ?? statement);
  expect(titles.filter((title) => !sources.includes(title))).toEqual([]);
});

/** Where people read commands: in pages, help, errors, the inspector and the site. */
const READ = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'package.json', 'docs', 'src', '.github'];

/** Commands that get the package by its name: what runs it without a copy that is installed, and what installs it. */
const BY_NAME = [
  /\b(?:npx|bunx|pnpx|npm (?:exec|x|create|init)|pnpm (?:dlx|exec|create)|yarn (?:dlx|create)|bun x)\b(?! --no-install )[^\n`|]*?[\s@]shardbits\b(?![/-])/,
  /\b(?:npm (?:install|i|add)|(?:pnpm|yarn|bun|deno) (?:add|install|i))\b[^\n`|]*?[\s@]shardbits\b(?![/-])/,
  /\bnpm:shardbits|\b(?:esm\.sh|unpkg\.com|cdn\.jsdelivr\.net\/npm|cdn\.skypack\.dev|jspm\.dev\/npm:)\/?shardbits/,
];

describe('until the name is taken on npm', () => {
  const isByName = (line: string) => BY_NAME.some((pattern) => pattern.test(line));

  it('nothing is taught that would run what a stranger publishes under it', () => {
    const files = READ.flatMap((path) =>
      statSync(path).isFile()
        ? [path]
        : readdirSync(path, { recursive: true, encoding: 'utf8', withFileTypes: true })
            .filter((entry) => entry.isFile() && /\.(md|ts|tsx|json|html|css|py|sh|ya?ml)$/.test(entry.name))
            .map((entry) => posix.join(entry.parentPath, entry.name)),
    );
    expect(files.length).toBeGreaterThan(300);
    const found = files.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter(isByName)
        .map((line) => `${path}: ${line}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    'npx shardbits inspect',
    'npx -y shardbits@0.1.0 route',
    'npx --yes --package shardbits shardbits',
    'write `npx shardbits` there',
    'npm exec shardbits',
    'npm install shardbits',
    'npm i -D shardbits @duckdb/node-api',
    'npm install postgres shardbits',
    'pnpm add shardbits',
    'bunx shardbits',
    "import { Router } from 'npm:shardbits'",
    'https://esm.sh/shardbits',
  ])('%s would be noticed', (line) => {
    expect(isByName(line)).toBe(true);
  });

  it.each([
    'npx --no-install shardbits inspect',
    'npm install /path/to/the/clone @duckdb/node-api',
    '`npm install postgres`, beside shardbits',
    'npm install @duckdb/node-api # shardbits/duckdb needs it',
    "import { Router } from 'shardbits'",
  ])('%s is right', (line) => {
    expect(isByName(line)).toBe(false);
  });

  it('the pages that install it say why', () => {
    for (const path of ['README.md', 'docs/getting-started.md']) {
      expect(readFileSync(path, 'utf8').replace(/\s+/g, ' ')).toContain('nobody owns the name on npm');
    }
  });
});

describe('the steps of docs/contributing.md', () => {
  it('name every file that a variant such as that of Elasticsearch before 9.4 touches', () => {
    const text = readFileSync('docs/contributing.md', 'utf8');
    const steps = text.slice(text.indexOf('## Add a partitioner'), text.indexOf('## Add a store'));
    const touched = [
      'src/partitioners/systems/stores.ts',
      'src/cli/options/placement.ts',
      ...['types', 'options', 'arguments', 'json'].map((name) => `test/partitioners/${name}.test.ts`),
      'test/cli/as-system.test.ts',
      'test/inspector/key-routing.test.ts',
      'bench/peers/partitioners.ts',
      'bench/peers/placing.ts',
      'docs/partitioners.md',
      'CHANGELOG.md',
    ];
    expect(touched.filter((file) => !steps.includes(`\`${file}\``))).toEqual([]);
  });
});
