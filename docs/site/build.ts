// `npm run docs [-- --serve]`: makes the site in site/, and checks it. What it is made with has a package of its own.
import { execFileSync, execSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemsInChromium } from './browser.js';
import { brokenLinks } from './links.js';
import { copyPages, listModules } from './pages.js';

const HERE = 'docs/site';
const PAGES = 'build/docs';
const SITE = 'site';

const isOlder = (path: string, than: string) => !existsSync(path) || statSync(path).mtimeMs < statSync(than).mtimeMs;
if (isOlder(join(HERE, 'node_modules/.package-lock.json'), join(HERE, 'package-lock.json'))) {
  execSync(`npm ci --prefix ${HERE}`, { stdio: 'inherit' });
}

const run = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(HERE, 'node_modules', program), ...args], { stdio: 'inherit' });

copyPages(PAGES);
cpSync('dist/inspector.html', join(PAGES, 'public/inspector/index.html'));
cpSync(join(HERE, 'icon.svg'), join(PAGES, 'public/icon.svg'));
run('typedoc/bin/typedoc', '--options', HERE);
const modules = listModules(join(PAGES, 'reference'));
writeFileSync(join(PAGES, 'reference/modules.json'), JSON.stringify(modules)); // for the sidebar
rmSync(SITE, { recursive: true, force: true });
run('vitepress/bin/vitepress.js', 'build', HERE);

const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const problems = [
  ...Object.keys(exports)
    .filter(
      (path) => !/\.(wasm|cjs|json)$/.test(path) && !modules.some((module) => module.name === name + path.slice(1)),
    )
    .map((path) => `${name}${path.slice(1)} can be imported, but docs/site/typedoc.json lacks its entry point`),
  ...brokenLinks(SITE, process.env.SITE_BASE).map((link) => `A link leads nowhere: ${link}`),
  ...(await problemsInChromium(SITE, process.env.SITE_BASE, process.argv.includes('--every-page'))),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
if (process.argv.includes('--serve')) run('vitepress/bin/vitepress.js', 'preview', HERE);
