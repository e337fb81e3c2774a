// Makes the guides in docs/ ready for VitePress.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const REPOSITORY = 'https://github.com/shardbits/shardbits';
const IN_REPOSITORY =
  /^https:\/\/(?:raw\.githubusercontent\.com\/shardbits\/shardbits\/main|github\.com\/shardbits\/shardbits\/(?:blob|tree)\/main)\//;

/** The list of guides: the groups of the sidebar are its sections. */
const LIST = 'docs/README.md';

/** Code, or the beginning and the target of a link or a picture. */
const CODE_OR_LINK = /^```[\s\S]*?^```|`[^`\n]+`|(\]\(|\b(?:src|href)=")([^)"\s]+)/gm;

export interface Guide {
  readonly path: string;
  /** Its name in the list, which may be shorter than its title. */
  readonly name: string;
  readonly answers: string;
}

export interface Group {
  readonly title: string;
  readonly guides: readonly Guide[];
}

/** The sections of docs/README.md, each with the guides in its table. */
export function guideGroups(list = readFileSync(LIST, 'utf8')): Group[] {
  const [, ...sections] = list.split(/^## /m);
  return sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    guides: Array.from(
      section.matchAll(/^\| \[(.+?)\]\((\S+\.md)\) \| (.*) \|$/gm),
      ([, name = '', path = '', answers = '']) => ({ path: posix.join('docs', path), name, answers }),
    ),
  }));
}

/** Where a file of the repository is on the site; undefined if it is on GitHub only. */
export function onSite(path: string): string | undefined {
  if (path === LIST) return 'guides/index.md';
  if (path === 'docs/site/index.md') return 'index.md';
  const [, name] = /^docs\/(?:examples\/)?([\w-]+)(?:\/README)?\.md$/.exec(path) ?? [];
  if (name !== undefined) return `guides/${name}.md`;
  return path.startsWith('docs/pictures/') ? path.replace('docs/', 'guides/') : undefined;
}

/**
 * A link of a page, as it is on the site: to another page, to a picture, or to a file of the repository on GitHub. A link
 * that leads nowhere stays, and is found on the site.
 */
function linkOnSite(page: string, link: string): string {
  const [, target = '', fragment = ''] = /^([^#]*)(.*)$/.exec(link) ?? [];
  const rooted = target.replace(IN_REPOSITORY, '/');
  if (rooted === '' || /^[a-z]+:/.test(rooted)) return link;
  const path = posix.join(rooted.startsWith('/') ? '.' : posix.dirname(page), rooted);
  if (!existsSync(path)) return link;
  const there = onSite(path);
  if (there !== undefined) return posix.relative(posix.dirname(onSite(page) ?? page), there) + fragment;
  return `${REPOSITORY}/${statSync(path).isDirectory() ? 'tree' : 'blob'}/main/${path}${fragment}`;
}

/** A page of Markdown with its links as they are on the site. */
export function withLinksOnSite(page: string, text: string): string {
  return text.replaceAll(CODE_OR_LINK, (match, opening?: string, link?: string) =>
    opening === undefined || link === undefined ? match : opening + linkOnSite(page, link),
  );
}

/** Copies the pages and pictures to a folder. Each page says which file it is made of, and what it answers. */
export function copyPages(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'guides'), { recursive: true });
  cpSync('docs/pictures', join(folder, 'guides/pictures'), { recursive: true });
  const guides = guideGroups().flatMap(({ guides }) => guides);
  for (const { path, answers } of [
    ...guides,
    { path: LIST, answers: '' },
    { path: 'docs/site/index.md', answers: '' },
  ]) {
    const text = withLinksOnSite(path, readFileSync(path, 'utf8'));
    const front = `source: ${path}\ndescription: ${JSON.stringify(answers)}\n`;
    const page = text.startsWith('---\n') ? text.replace('---\n', `---\n${front}`) : `---\n${front}---\n\n${text}`;
    writeFileSync(join(folder, onSite(path) ?? path), page);
  }
}

/**
 * The modules of the reference in the order of the entry points, each with its page in a folder, as TypeDoc lists them.
 * The list becomes a table that says what each module is for.
 */
export function listModules(folder: string): { readonly name: string; readonly path: string }[] {
  const list = join(folder, 'index.md');
  const links = readFileSync(list, 'utf8').matchAll(/^- \[(.*)\]\((.*)\)$/gm);
  const modules = Array.from(links, ([, name = '', path = '']) => ({ name, path }));
  const rows = modules.map(({ name, path }) => {
    const [, purpose = ''] = readFileSync(join(folder, path), 'utf8').split('\n\n');
    return `| [\`${name}\`](${path}) | ${purpose.replaceAll('\n', ' ')} |`;
  });
  const text = '# API\n\nEvery export and option, by what you import.\n\n';
  writeFileSync(list, `${text}| import | purpose |\n| --- | --- |\n${rows.join('\n')}\n`);
  return modules;
}
