import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PINS } from '../pins.js';
import { run, start, stop } from '../processes.js';
import type { Outcome } from '../program/checks.js';
import { outcomeOf, type Row, together } from '../row.js';
import { bunOrDeno, node } from '../runtimes.js';
import type { Scratch } from '../scratch.js';

const PROGRAM = 'bundled-server.mjs';
const NODES = [20, 24] as const;
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const NO_SCRIPT = { SCRIPT: 'none' };

const bin = (tools: string, name: string): string => join(tools, 'node_modules/.bin', name);

/** What a program says of itself on both versions of Node. */
async function onNodes(scratch: Scratch, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Outcome[]> {
  const outcomes = [];
  for (const major of NODES) outcomes.push(outcomeOf(await run(await node(scratch, major), args, { env })));
  return outcomes;
}

/** A bundler on its command line: `bundle` makes a file of another. */
async function esbuild(scratch: Scratch, from: string, to: string, ...options: string[]): Promise<void> {
  const tools = await scratch.tool(`esbuild@${PINS.esbuild}`);
  const args = [from, '--bundle', '--platform=node', '--external:@duckdb/node-api', '--log-level=error', ...options];
  await run(bin(tools, 'esbuild'), [...args, `--outfile=${to}`], { cwd: scratch.app });
}

/** Makes the script of threads a file beside a bundle that has no node_modules. */
const bundleScript = (scratch: Scratch, folder: string): Promise<void> =>
  esbuild(scratch, 'shardbits/worker.cjs', join(folder, 'shardbits-worker.cjs'));

/** A program of esbuild: beside node_modules, and alone, without and with the script of threads. */
async function bundledByEsbuild(scratch: Scratch): Promise<Outcome> {
  const outcomes = [];
  for (const [format, file] of [
    ['esm', 'server.mjs'],
    ['cjs', 'server.cjs'],
  ] as const) {
    const here = join(scratch.app, 'esbuild', file);
    await esbuild(scratch, PROGRAM, here, `--format=${format}`);
    outcomes.push(...(await onNodes(scratch, [here])));
    const folder = scratch.room('alone');
    const alone = join(folder, file);
    cpSync(here, alone);
    outcomes.push(...(await onNodes(scratch, [alone], NO_SCRIPT)));
    await bundleScript(scratch, folder);
    outcomes.push(...(await onNodes(scratch, [alone])));
  }
  return together(outcomes);
}

async function bundledByWebpack(scratch: Scratch): Promise<Outcome> {
  const tools = await scratch.tool(`webpack@${PINS.webpack}`);
  const output = { path: join(scratch.app, 'webpack'), filename: 'server.cjs' };
  const config = { mode: 'production', target: 'node20', entry: join(scratch.app, PROGRAM), output };
  const script = `require('webpack')(${JSON.stringify(config)}, (error, stats) => {
    if (error || stats.hasErrors()) { console.error(error ?? stats.toString('errors-only')); process.exit(1); }
  })`;
  await run(process.execPath, ['-e', script], { cwd: tools });
  return together(await onNodes(scratch, [join(output.path, output.filename)]));
}

/** An executable of Node itself with the program in it. */
async function executable(scratch: Scratch): Promise<Outcome> {
  const tools = await scratch.tool(`postject@${PINS.postject}`);
  const outcomes = [];
  for (const major of NODES) {
    const folder = scratch.room('executable');
    const [program, blob, config] = ['server', 'server.blob', 'config.json'].map((name) => join(folder, name));
    await esbuild(scratch, PROGRAM, join(folder, 'server.cjs'), '--format=cjs');
    const own = await node(scratch, major);
    const main = join(folder, 'server.cjs');
    writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
    await run(own, ['--experimental-sea-config', config]);
    cpSync(own, program, { dereference: true });
    await run(bin(tools, 'postject'), [program, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE]);
    outcomes.push(outcomeOf(await run(program, [], { cwd: folder, env: NO_SCRIPT })));
    await bundleScript(scratch, folder);
    outcomes.push(outcomeOf(await run(program, [], { cwd: folder })));
  }
  return together(outcomes);
}

async function compiledByBun(scratch: Scratch): Promise<Outcome> {
  const [bun] = await bunOrDeno(scratch, 'bun');
  const folder = scratch.room('compiled');
  const program = join(folder, 'server');
  const args = ['build', PROGRAM, '--compile', '--external', '@duckdb/node-api', '--outfile', program];
  await run(bun, args, { cwd: scratch.app });
  const without = outcomeOf(await run(program, [], { cwd: folder, env: NO_SCRIPT }));
  await bundleScript(scratch, folder);
  return together([without, outcomeOf(await run(program, [], { cwd: folder }))]);
}

/** A route that is the program, and middleware for the edge that routes a key. */
const NEXT = (program: string): { readonly [path: string]: string } => ({
  'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>;',
  'app/page.js': 'export default () => <p>shardbits</p>;',
  'app/api/route.js': `${program.replace(/report\(server\);\s*$/, '')}
export const dynamic = 'force-dynamic';
export const GET = async () => Response.json(await server());`,
  'middleware.js': `import { NextResponse } from 'next/server';
import { getBackend, Router } from 'shardbits';
export function middleware() {
  const headers = { 'x-edge': new Router({ shards: 1024 }).route('user:42') + ' ' + getBackend() };
  return NextResponse.next({ headers });
}
export const config = { matcher: '/api' };`,
});

async function next(scratch: Scratch): Promise<Outcome> {
  const tools = await scratch.tool(`next@${PINS.next}`, `react@${PINS.react}`, `react-dom@${PINS.react}`);
  const site = join(tools, 'site'); // below the node_modules of Next.js
  for (const [path, text] of Object.entries(NEXT(readFileSync(join(scratch.app, PROGRAM), 'utf8')))) {
    mkdirSync(join(site, path, '..'), { recursive: true });
    writeFileSync(join(site, path), text);
  }
  writeFileSync(join(site, 'package.json'), '{ "private": true }');
  cpSync(join(scratch.app, 'node_modules/shardbits'), join(tools, 'node_modules/shardbits'), { recursive: true });
  const program = join(tools, 'node_modules/next/dist/bin/next');
  const env = { NEXT_TELEMETRY_DISABLED: '1' };
  await run(process.execPath, [program, 'build'], { cwd: site, env });
  const outcomes = [];
  for (const [i, major] of NODES.entries()) {
    const port = 34_560 + i;
    const server = start(await node(scratch, major), [program, 'start', '-p', String(port)], { cwd: site, env });
    try {
      const { headers, outcome } = await answer(`http://localhost:${port}/api`);
      const isRight = headers.get('x-edge') === '717 wasm';
      outcomes.push(outcome, { ...outcome, checks: 1, failures: isRight ? [] : [`edge: ${headers.get('x-edge')}`] });
    } finally {
      await stop(server);
    }
  }
  return together(outcomes);
}

async function answer(url: string): Promise<{ headers: Headers; outcome: Outcome }> {
  for (let tries = 0; ; tries++) {
    try {
      const { headers, ...response } = await fetch(url).then(async (one) => ({
        headers: one.headers,
        text: await one.text(),
      }));
      return { headers, outcome: outcomeOf(response.text) };
    } catch (error) {
      if (tries === 300) throw error;
      await setTimeout(100);
    }
  }
}

/** Jest, which has no TextEncoder in a page of jsdom. */
const JEST = `/** @jest-environment jsdom */
const { layouts, Router, xxh64, xxh64Many, getBackend } = require('shardbits');
test('a hash', () => expect([xxh64('abc'), xxh64('\\u00e4\\u20ac')]).toEqual([4952883123889572249n, EXPECTED]));
test('columns', () => expect([...new Router({ shards: 1024 }).routeMany(['user:42', 'user:43'])]).toEqual([717, 360]));
test('an array of this realm', () => expect([...xxh64Many(BigUint64Array.of(1n))]).toEqual([11468921228449061269n]));
test('ids', () => expect(layouts.discord.dateOf('1116551844710330458').getTime()).toBe(1686277104309));
test('the backend', () => expect(getBackend()).toBe('wasm'));
test.each(['map', 'registry', 'wide-ids', 'ids', 'partitioners', 'detect', 'streams'])('%s', (name) => {
  expect(Object.keys(require('shardbits/' + name)).length).toBeGreaterThan(0);
});
`;

/** Jest for Node, which refuses `import()` in CommonJS. */
const JEST_FOR_NODE = `/** @jest-environment node */
const { decodeFile, hashFile } = require('shardbits/node');
const { readFileSync, writeFileSync } = require('node:fs');
const { gunzipSync } = require('node:zlib');
const file = (name) => require('node:path').join(__dirname, process.version + name);
test('compressed lines', async () => {
  writeFileSync(file('.txt'), 'abc\\n');
  await hashFile(file('.txt'), { out: file('.gz'), compress: 'gzip' });
  expect(gunzipSync(readFileSync(file('.gz'))).toString()).toBe('44bc2cf5ad770999\\n');
});
test('many lines on two threads', async () => {
  writeFileSync(file('.txt'), 'abc\\n'.repeat(3e6));
  await hashFile(file('.txt'), { out: file('.hex'), threads: 2 });
  expect(readFileSync(file('.hex'), 'utf8')).toBe('44bc2cf5ad770999\\n'.repeat(3e6));
});
test('ids of a layout that is guessed', async () => {
  writeFileSync(file('.txt'), '175928847299117063\\n');
  await decodeFile(file('.txt'), { out: file('.tsv'), layout: 'guess' });
  expect(readFileSync(file('.tsv'), 'utf8')).toMatch(/2016-04-30/);
});
`;

async function jest(scratch: Scratch): Promise<Outcome> {
  const tools = await scratch.tool(`jest@${PINS.jest}`, `jest-environment-jsdom@${PINS.jest}`);
  const folder = join(tools, 'jest');
  mkdirSync(folder);
  symlinkSync(join(scratch.app, 'node_modules/shardbits'), join(tools, 'node_modules/shardbits'));
  const script = `process.stdout.write(String(require('shardbits').xxh64('\\u00e4\\u20ac')))`;
  const expected = await run(process.execPath, ['-e', script], { cwd: scratch.app });
  writeFileSync(join(folder, 'jsdom.test.js'), JEST.replace('EXPECTED', `${expected}n`));
  writeFileSync(join(folder, 'node.test.js'), JEST_FOR_NODE);
  writeFileSync(join(folder, 'package.json'), '{ "jest": {} }');
  let checks = 0;
  const failures: string[] = [];
  for (const major of NODES) {
    const told = join(folder, `${major}.json`);
    const args = [join(tools, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${told}`];
    await run(await node(scratch, major), args, { cwd: folder }).catch(() => {}); // it has told what failed
    const { numPassedTests, testResults } = JSON.parse(readFileSync(told, 'utf8'));
    checks += numPassedTests;
    failures.push(...testResults.map(({ message }: { message: string }) => message).filter(Boolean));
  }
  return { version: PINS.jest, backend: 'wasm', checks, failures };
}

/** Intrinsics that nobody may change. */
async function frozen(scratch: Scratch): Promise<Outcome> {
  const program = join(scratch.app, 'frozen.mjs');
  writeFileSync(
    program,
    `import { getBackend, xxh64 } from 'shardbits';
import { partitioner } from 'shardbits/partitioners';
import 'shardbits/detect'; import 'shardbits/map'; import 'shardbits/node'; import 'shardbits/registry';
const said = [xxh64('abc'), ...partitioner('kafka', { partitions: 8 }).routeMany(['a'])].join();
const failures = said === '4952883123889572249,4' ? [] : [said];
console.log(JSON.stringify({ version: process.version, backend: getBackend(), checks: 1, failures }));`,
  );
  return together(await onNodes(scratch, ['--frozen-intrinsics', '--no-warnings', program]));
}

/** Where a program is one file, or another has loaded it: threads, SQLite and what its globals are. On Node 20 and 24. */
export const servers: readonly Row[] = (
  [
    ['esbuild, for Node', PINS.esbuild, bundledByEsbuild],
    ['webpack, for Node', PINS.webpack, bundledByWebpack],
    ['Node, single executable', `${PINS.node[20]}, ${PINS.node[24]}`, executable],
    ['Bun, compiled', PINS.bun, compiledByBun],
    ['Next.js', PINS.next, next],
    ['Jest', PINS.jest, jest],
    ['Node, frozen intrinsics', `${PINS.node[20]}, ${PINS.node[24]}`, frozen],
  ] as const
).map(([name, version, run]) => ({
  name,
  backend: 'wasm',
  run: async (scratch) => ({ ...(await run(scratch)), version }),
}));
