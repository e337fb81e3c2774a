// Makes README.md and the guides in docs/ ready for TypeDoc.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';

const REPOSITORY = 'https://github.com/shardbits/shardbits';
const IN_REPOSITORY =
  /^https:\/\/(?:raw\.githubusercontent\.com\/shardbits\/shardbits\/main|github\.com\/shardbits\/shardbits\/(?:blob|tree)\/main)\//;

/** Code, or the beginning and the target of a link or a picture. */
const CODE_OR_LINK = /^```[\s\S]*?^```|`[^`\n]+`|(\]\(|\b(?:src|href)=")([^)"\s]+)/gm;

const isOnSite = (path: string): boolean =>
  path === 'README.md' || /^docs\/[^/]+\.md$/.test(path) || path.startsWith('docs/pictures/');

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
  if (isOnSite(path)) return posix.relative(posix.dirname(page), path) + fragment;
  return `${REPOSITORY}/${statSync(path).isDirectory() ? 'tree' : 'blob'}/main/${path}${fragment}`;
}

/** A page of Markdown with its links as they are on the site. */
export function withLinksOnSite(page: string, text: string): string {
  return text.replaceAll(CODE_OR_LINK, (match, opening?: string, link?: string) =>
    opening === undefined || link === undefined ? match : opening + linkOnSite(page, link),
  );
}

/** The guides in the order in which docs/README.md names them first, or README.md. */
function guides(): string[] {
  const lists = ['docs/README.md', 'README.md'].filter((path) => existsSync(path));
  const named = lists.flatMap((path) => Array.from(readFileSync(path, 'utf8').matchAll(/[\w-]+\.md\b/g), String));
  const rank = (name: string) =>
    name === 'README.md' ? -1 : named.includes(name) ? named.indexOf(name) : named.length;
  const names = readdirSync('docs').filter((name) => name.endsWith('.md'));
  return names.sort((a, b) => rank(a) - rank(b)).map((name) => `docs/${name}`);
}

/**
 * Copies the pages and their pictures to a folder. A guide gets a title, and the name of its file on the site.
 * @returns the guides in the folder, in the order of the navigation
 */
export function copyPages(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'docs'), { recursive: true });
  cpSync('docs/pictures', join(folder, 'docs/pictures'), { recursive: true });
  writeFileSync(join(folder, 'README.md'), withLinksOnSite('README.md', readFileSync('README.md', 'utf8')));
  return guides().map((path) => {
    const text = readFileSync(path, 'utf8');
    const title = /^# (.*)$/m.exec(text)?.[1];
    if (title === undefined) throw new Error(`${path} has no title`);
    const name = path === 'docs/README.md' ? 'index' : basename(path, '.md');
    const front = `---\ntitle: ${JSON.stringify(title)}\ngroup: Guides\nname: ${name}\n---\n\n`;
    const copy = join(folder, path);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, front + withLinksOnSite(path, text));
    return copy;
  });
}
