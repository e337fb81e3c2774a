import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';

const ENTRY = './src/ids/index.ts';

it.each([
  ['layouts, formatId and parseId', `export { layouts, formatId, parseId } from '${ENTRY}'`],
  ['all of shardbits/ids', `export * from '${ENTRY}'`],
])('%s take at most 6 KB of gzip', async (_, program) => {
  expect(gzipSync(await bundle(program), { level: 9 }).length).toBeLessThanOrEqual(6 * 1024);
});

it('an import for nothing takes nothing', async () => {
  expect(await bundle(`import { layouts } from '${ENTRY}'`)).toBe('');
});

it('shardbits/ids loads the formats of texts, but no backend, and nothing that makes or places ids', async () => {
  const { metafile } = await build({ entryPoints: [ENTRY], bundle: true, write: false, metafile: true });
  const rooms = Object.keys(metafile.inputs).map((path) => /^src\/(kernels\/.*|[a-z-]+)/.exec(path)?.[1]);
  expect([...new Set(rooms)].sort()).toEqual(['arguments', 'ids', 'kernels/ids.ts', 'kernels/types.ts', 'layout']);
});
