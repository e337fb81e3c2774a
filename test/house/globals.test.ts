import { describe, expect, it } from 'vitest';
import { mayUse, nameOf, type Use, type Users, unneeded } from './rooms.js';
import { freeNamesIn, type Source, sourcesIn } from './sources.js';

/** Who may use what only Node.js declares. Others look for it in `globalThis`, and can do without. */
const GLOBALS: Users = {
  Buffer: [
    'cli/io',
    'node/files',
    'node/jobs/guessed-ids',
    'engines/sql/clickhouse/module',
    'registry/stores/sqlite',
    'registry/stores/postgres',
    'registry/stores/etcd',
    'registry/stores/shared',
  ],
  process: [
    'cli/start',
    'cli/commands/mint',
    'cli/options',
    'cli/signals',
    'cli/terminal',
    'node/parquet/session',
    'node/threads/workers',
    'node/files',
    'file-system',
  ],
  setImmediate: ['registry/calls'],
  clearImmediate: [],
  NodeJS: [],
  global: [],
  require: [],
  module: [],
  exports: [],
  __dirname: [],
  __filename: [],
};

/** The adapters: they use parts of the packages of others that the types of these hide. */
const CASTS: Users = { 'as unknown as': ['engines/duckdb/api', 'inspector/page/app', 'inspector/page/keys/shards'] };

function globalsIn(source: Source): Use[] {
  return freeNamesIn(source, Object.keys(GLOBALS)).map((name) => [nameOf(source.path), name]);
}

function castsIn({ path, text }: Source): Use[] {
  return /\bas\s+(?:unknown|any)\s+as\b/.test(text) ? [[nameOf(path), 'as unknown as']] : [];
}

describe.each([
  ['globals of Node.js', GLOBALS, globalsIn],
  ['casts by way of `unknown`', CASTS, castsIn],
] as const)('%s', (_, users, usesIn) => {
  const uses = sourcesIn('src').flatMap(usesIn);

  it('are where the table allows them', () => {
    expect(uses.filter((use) => !mayUse(users, use))).toEqual([]);
  });

  it('are allowed to nobody who does not need them', () => {
    expect(unneeded(users, uses)).toEqual([]);
  });
});

describe('a use', () => {
  it.each([
    'export const id = process.pid;',
    'export const all = { process };',
    'export const all = { name: process };',
    'export function of(values: typeof process): void {}',
    'export const bytes = (): process.Type => read();',
    'const { pid = process.pid } = options;',
    'const all = { process: 1 }; export const id = all.process + process.pid;',
  ])('of a global is noticed: %s', (text) => {
    expect(globalsIn({ path: 'src/layout/layout.ts', text })).toEqual([['src/layout/layout', 'process']]);
  });

  it.each([
    "export const process = 'process'; // process",
    'export const { process: id } = fields;',
    'export const { process } = globalThis as { process?: { pid: number } };',
    "import { process } from './own.js'; export const id = process.pid;",
    "export { process } from './own.js';",
    'export interface Fields { readonly process: number; module(): void }',
    'export const id = fields.process + globalThis.process.pid;',
    'export const fields = { process: 5, exports() {} };',
    'export type Fields = Own.process;',
    'export const one = (process: number) => process;',
  ])('of something else with its name is not: %s', (text) => {
    expect(globalsIn({ path: 'src/layout/layout.ts', text })).toEqual([]);
  });

  it.each([
    ['value as unknown as { readonly items: number }', 1],
    ['call(value as any as Inside)', 1],
    ['value as Inside', 0],
    ['value as unknown', 0],
  ])('of a cast is noticed: %s', (text, count) => {
    expect(castsIn({ path: 'src/layout/layout.ts', text })).toHaveLength(count);
  });
});
