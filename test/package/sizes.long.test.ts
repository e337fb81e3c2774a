// The table of sizes in docs/runtimes.md: what each import adds to a page, minified and compressed. This writes it
// anew: UPDATE=1 npx vitest run --mode all --project node test/package/sizes
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { betweenMarks } from '../../bench/everywhere/pages.js';
import manifest from '../../package.json' with { type: 'json' };
import { bundle } from '../support/bundle.js';

const PAGE = 'docs/runtimes.md';
const MARK = 'sizes';
/** How far a size may be from the table: other versions of esbuild and zlib give a little more or less. */
const TOLERANCE = 0.03;

/** Single imports, as programs have them. */
const NAMES = ['xxh64', 'xxh64Many', 'jumpHash', 'Router', 'layouts', 'formatId, parseId', 'SnowflakeGenerator'];

const ENTRIES = Object.keys(manifest.exports).filter((name) => !/[.](wasm|cjs|json)$/.test(name));

interface Size {
  readonly what: string;
  readonly minified: number;
  readonly gzip: number;
}

/** What a bundler makes of an import, without the packages that the program installs itself. */
async function sizeOf(what: string, program: string): Promise<Size> {
  const code = await bundle(program, ['node:*', ...builtinModules, ...Object.keys(manifest.peerDependencies)]);
  return { what, minified: Buffer.byteLength(code), gzip: gzipSync(code, { level: 9 }).length };
}

async function sizes(): Promise<Size[]> {
  const all: Size[] = [];
  for (const names of NAMES) {
    all.push(await sizeOf(`\`import { ${names} } from 'shardbits'\``, `export { ${names} } from 'shardbits'`));
  }
  for (const entry of ENTRIES) {
    const name = `shardbits${entry.slice(1)}`;
    all.push(await sizeOf(`all of \`${name}\``, `export * from '${name}'`));
  }
  const page = readFileSync('dist/inspector.html');
  const pack = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const [{ size, unpackedSize }] = JSON.parse(pack) as { size: number; unpackedSize: number }[];
  return [
    ...all,
    { what: 'the inspector, one page', minified: page.length, gzip: gzipSync(page, { level: 9 }).length },
    { what: 'the package, as npm downloads it', minified: unpackedSize, gzip: size },
  ];
}

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;

function tableOf(all: readonly Size[]): string {
  const rows = all.map(({ what, minified, gzip }) => `| ${what} | ${kilobytes(minified)} | ${kilobytes(gzip)} |`);
  return ['| | minified | gzip |', '| --- | ---: | ---: |', ...rows].join('\n');
}

it('docs/runtimes.md has the size of each import', async () => {
  const found = await sizes();
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE) writeFileSync(PAGE, betweenMarks(page, MARK, tableOf(found)));
  const rows = Array.from(
    readFileSync(PAGE, 'utf8').matchAll(/^\| (.*) \| ([\d.]+) KB \| ([\d.]+) KB \|$/gm),
    ([, what, minified, gzip]) => ({ what, minified: Number(minified) * 1024, gzip: Number(gzip) * 1024 }),
  );
  expect(rows.map(({ what }) => what)).toEqual(found.map(({ what }) => what));
  const isFar = (size: number, said: number) => Math.abs(size - said) > Math.max(TOLERANCE * size, 60);
  const wrong = found.filter(
    ({ minified, gzip }, row) => isFar(minified, rows[row].minified) || isFar(gzip, rows[row].gzip),
  );
  expect(wrong, 'UPDATE=1 npx vitest run --mode all --project node test/package/sizes').toEqual([]);
});
