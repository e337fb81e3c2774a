import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#39': "'" };

const attributes = (html: string, names: string): string[] =>
  Array.from(html.matchAll(new RegExp(`<[^>]*?\\s(?:${names})="([^"]*)"`, 'g')), ([, value = '']) =>
    value.replace(/&(amp|quot|lt|gt|#39);/g, (_, name: string) => ENTITIES[name]),
  );

/**
 * The links and pictures of all pages in a folder that lead nowhere. Those to other hosts are not followed.
 * @param base the address of the folder on its host
 */
export function brokenLinks(folder: string, base = '/'): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const pages = files.filter((name) => name.endsWith('.html')).map((name) => resolve(folder, name));
  const html = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]));
  const anchors = new Map([...html].map(([page, text]) => [page, new Set(attributes(text, 'id|name'))]));

  const isThere = (page: string, link: string): boolean => {
    const [path = '', fragment = ''] = decodeURIComponent(link).split('#');
    if (path.startsWith('/') && !path.startsWith(base)) return false;
    let target = path.startsWith('/') ? resolve(folder, path.slice(base.length)) : join(dirname(page), path);
    if (path === '') target = page;
    if (existsSync(target) && statSync(target).isDirectory()) target = join(target, 'index.html');
    return existsSync(target) && (fragment === '' || anchors.get(target)?.has(fragment) !== false);
  };
  return [...html].flatMap(([page, text]) => {
    const links = new Set(attributes(text, 'href|src').filter((link) => !/^([a-z]+:|\/\/)/.test(link)));
    return [...links].filter((link) => !isThere(page, link)).map((link) => `${page}: ${link}`);
  });
}
