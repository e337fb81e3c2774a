// Makes the site in site/: npm run docs.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application, JSX, PageEvent, type Reflection, StructureRouter, TSConfigReader, TypeDocReader } from 'typedoc';
import { brokenLinks } from './links.js';
import { copyPages } from './pages.js';

const SITE = 'site';
const PAGES = 'build/docs';

/** Names the page of a guide as its file, so that its address stays when its title changes. */
class SiteRouter extends StructureRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    return reflection.isDocument() ? `guides/${reflection.frontmatter.name}` : super.getIdealBaseName(reflection);
  }
}

const app = await Application.bootstrap(
  { options: 'docs/site', out: SITE, readme: join(PAGES, 'README.md'), projectDocuments: copyPages(PAGES) },
  [new TypeDocReader(), new TSConfigReader()],
);
app.renderer.defineRouter('site', SiteRouter);
app.options.setValue('router', 'site');
// On a first visit the list of guides and modules is open.
const html = "for (const name of ['Guides', 'API reference']) localStorage['tsd-accordion-' + name] ??= true;";
app.renderer.hooks.on('head.end', () => JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html })));
// TypeDoc takes the links of the header as they are, on all pages.
app.renderer.on(PageEvent.END, (page) => {
  const top = '../'.repeat(page.url.split('/').length - 1);
  page.contents = page.contents?.replaceAll('href="/', `href="${top}`) ?? '';
});

const project = await app.convert();
if (project === undefined) throw new Error('TypeDoc cannot read the sources');
app.validate(project);
await app.generateOutputs(project);
mkdirSync(join(SITE, 'inspector'));
cpSync('dist/inspector.html', join(SITE, 'inspector/index.html'));

const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const modules = project.children?.map((module) => module.name) ?? [];
const problems = [
  ...Object.keys(exports)
    .filter((path) => !/\.(wasm|cjs|json)$/.test(path) && !modules.includes(name + path.slice(1)))
    .map((path) => `${name}${path.slice(1)} can be imported, but docs/site/typedoc.json lacks its entry point`),
  ...brokenLinks(SITE).map((link) => `A link leads nowhere: ${link}`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0 || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
