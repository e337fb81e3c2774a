import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { importsOf, type Source, sourcesIn } from './sources.js';

const KERNELS = ['kernels/active', 'kernels/types'];
const RESIDENT = 'kernels/resident';

/**
 * Who may import whom in src/, from the top down. A room is a folder of src/, or a file with rights of its own; a file
 * belongs to the room with the longest name that fits. It may import the files of its own room, the rooms and single
 * files that are named here, and the GROUND.
 */
const ROOMS: { readonly [room: string]: readonly string[] } = {
  cli: [
    'node/index',
    'node/jobs',
    'node/threads/serve',
    'node/files/compressed',
    'node/files/formats',
    'node/files/input',
    'node/files/output',
    'node/files/peek',
    'node/files/placed-files',
    'guess/index',
    'detect',
    'engines/sql',
    'engines/parquet',
    'wide-ids',
    'rows',
    'partitioners',
    'registry/index',
    'registry/stores',
    'map',
    'index',
    'minting',
    'abortable',
    'dates',
    'kernels/types',
  ],
  'inspector/build': [],
  'inspector/page': ['inspector/decode', 'inspector/read', 'index'],
  'inspector/decode': [
    'inspector/read',
    'guess/index',
    'index',
    'kernels/index',
    'partitioners/index',
    'partitioners/keys',
    'partitioners/partitioner',
    'detect/report',
    'map/nodes',
    'map/direct-moves',
    'routing/plan',
    'columns/keys',
    'dates',
  ],
  'guess/index': ['guess'],
  guess: ['kernels/active', 'layout', 'dates'],
  'inspector/read': ['wide-ids', 'index', 'kernels/index'],
  'engines/parquet': [
    'engines/duckdb/api',
    'engines/sql',
    'node/files',
    'node/jobs',
    'partitioners',
    'routing',
    'layout',
    'wide-ids',
    'ids',
    'hash',
    'columns',
    'kernels/types',
  ],
  'node/index': ['node/jobs', 'node/threads', 'node/files', 'rows', 'routing', 'columns'],
  'node/jobs': ['node/threads', 'node/files', 'rows', 'routing', 'columns', 'kernels/types'],
  'node/threads': ['node/files', 'rows', 'partitioners', 'routing', 'hash', 'columns', ...KERNELS],
  'node/files': ['rows', 'minting', 'routing', 'kernels/types', 'columns', 'file-system'],
  detect: ['partitioners', 'routing', 'hash', 'columns', ...KERNELS, 'kernels/js/md5'],
  'engines/sql': ['engines/qualified', 'map', 'partitioners', 'routing', 'layout'],
  'engines/sqlite': ['routing', 'layout', 'ids', 'hash', 'kernels/types', 'dates'],
  'engines/duckdb': ['map', 'wide-ids', 'partitioners', 'routing', 'layout', 'ids', 'hash', 'columns', 'kernels/types'],
  arrow: ['routing', 'layout', 'hash', 'columns', 'kernels/types'],
  sets: ['columns'],
  map: ['registry', 'routing', 'hash', 'columns', 'notify'],
  'wide-ids': ['columns', 'kernels/types'],
  'registry/index': ['registry/stores/memory', 'registry', 'minting/lease'],
  'registry/stores': ['registry', 'engines/qualified', 'kernels/active', 'kernels/partitioners', 'file-system'],
  registry: ['minting/lease', 'columns', 'abortable', 'notify'],
  index: ['minting', 'routing', 'layout', 'ids', 'hash', 'columns', ...KERNELS],
  rows: [
    'routing',
    'columns',
    'kernels/types',
    RESIDENT,
    'kernels/csv-fields',
    'kernels/record-types',
    'kernels/records',
  ],
  partitioners: [
    'routing',
    'hash',
    'columns',
    ...KERNELS,
    'kernels/partitioners',
    'kernels/js/md5',
    'kernels/js/hashes-32',
  ],
  minting: ['layout', 'notify'],
  routing: ['hash', 'columns', ...KERNELS],
  layout: ['columns', ...KERNELS],
  ids: ['columns', ...KERNELS, 'kernels/ids'],
  hash: ['columns', ...KERNELS],
  columns: ['kernels/types'],
  kernels: [],
  abortable: [],
  dates: [],
  notify: [],
  'engines/qualified': [],
  'file-system': [],
  errors: [],
  arguments: [],
};

/** Every room may import these. They import nothing but each other. */
const GROUND = ['errors', 'arguments'];

/** Who may import what is not in src/. */
const PACKAGES: { readonly [name: string]: readonly string[] } = {
  'node:*': [
    'cli',
    'inspector/build',
    'engines/parquet',
    'node/jobs',
    'node/threads',
    'node/files',
    'registry/stores',
    'file-system',
  ],
  'package.json': ['cli/program'],
  '@assemblyscript/loader': ['kernels/wasm/modules'],
  '@duckdb/node-api': ['engines/duckdb', 'engines/parquet'],
  '@noble/hashes': ['detect/by-hand'],
  'apache-arrow': ['arrow'],
  'cli-progress': ['cli/io/progress'],
  commander: ['cli'],
  esbuild: ['inspector/build'],
  etcd3: ['registry/stores'],
  fzstd: ['inspector/read/open'],
  postgres: ['registry/stores/postgres/client'],
  preact: ['inspector/page'],
  'roaring-wasm': ['sets'],
  terser: ['inspector/build'],
  uplot: ['inspector/page/charts/plot'],
};

const sources = sourcesIn('src');
const files = new Set([
  'src/kernels/wasm/core.generated',
  'src/kernels/wasm/records.generated',
  'src/kernels/wasm/partitioners.generated',
  ...sources.map(({ path }) => nameOf(path)),
]);

function nameOf(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

/** The room of a file of src/, which is named without its extension. */
function roomOf(file: string): string {
  const fitting = Object.keys(ROOMS).filter((room) => `${file}/`.startsWith(`src/${room}/`));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? `no room for ${file}`;
}

function mayImport(room: string, target: string): boolean {
  const seen = [room, ...GROUND, ...(ROOMS[room] ?? [])];
  return seen.includes(roomOf(target)) || seen.includes(target.slice('src/'.length));
}

function packageOf(specifier: string): string {
  if (builtinModules.includes(specifier.replace('node:', ''))) return 'node:*';
  if (specifier.startsWith('.') || specifier.startsWith('src/')) return specifier;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function mayUse(file: string, name: string): boolean {
  return (PACKAGES[name] ?? []).some((user) => user === roomOf(file) || `src/${user}` === file);
}

/** What some files import against the tables. */
function against(some: readonly Source[]): string[] {
  return some.flatMap((source) => {
    const file = nameOf(source.path);
    return importsOf(source)
      .filter((target) => (files.has(target) ? !mayImport(roomOf(file), target) : !mayUse(file, packageOf(target))))
      .map((target) => `${file} imports ${target}`);
  });
}

const imports = sources.flatMap((source) => importsOf(source).map((target) => [nameOf(source.path), target] as const));

describe('imports in src/', () => {
  it('are those that the tables allow', () => {
    expect(against(sources)).toEqual([]);
  });

  it('that go up, around a layer or to a package of others are noticed', () => {
    for (const [path, specifier] of [
      ['src/hash/xxh64.ts', '../routing/router.js'],
      ['src/routing/router.ts', '../kernels/wasm.js'],
      ['src/registry/stores/memory.ts', '../index.js'],
      ['src/inspector/page/app.tsx', '../../layout/layout.js'],
      ['src/ids/text.ts', '../arrow/vectors.js'],
      ['src/layout/layout.ts', 'node:fs'],
      ['src/registry/lease.ts', 'fs'],
      ['src/registry/stores/sqlite/store.ts', 'etcd4'],
      ['src/node/files/input.ts', 'preact/hooks'],
    ] as const) {
      expect(against([{ path, text: `import { x } from '${specifier}';` }])).toHaveLength(1);
      expect(against([{ path, text: `export type { X } from '${specifier}';` }])).toHaveLength(1);
    }
  });

  it('go down only, in the order of the table', () => {
    const order = Object.keys(ROOMS);
    for (const [room, seen] of Object.entries(ROOMS)) {
      for (const target of seen) {
        const below = order.indexOf(order.includes(target) ? target : roomOf(`src/${target}`));
        expect(below, `${target}, which ${room} sees`).toBeGreaterThan(order.indexOf(room));
      }
    }
  });
});

describe('the files of src/', () => {
  it('do not import each other in a circle, types included', () => {
    const targets = new Map(
      sources.map((source) => [nameOf(source.path), importsOf(source).filter((to) => files.has(to))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, above: readonly string[]): void => {
      if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(' → '));
      if (done.has(file)) return;
      done.add(file);
      for (const target of targets.get(file) ?? []) walk(target, [...above, file]);
    };
    for (const file of targets.keys()) walk(file, []);
    expect(circles).toEqual([]);
  });

  it('are at most 16 in a folder; systems, one a file, may be more', () => {
    const count = new Map<string, number>();
    for (const { path } of sources) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      count.set(folder, (count.get(folder) ?? 0) + 1);
    }
    expect([...count].filter(([folder, n]) => n > 16 && folder !== 'src/partitioners/systems')).toEqual([]);
  });
});

describe('the tables', () => {
  it('have a room for every file, and no room without files', () => {
    const rooms = new Set([...files].map(roomOf));
    expect([...rooms].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it('allow nothing that nobody needs', () => {
    for (const [room, seen] of Object.entries(ROOMS)) {
      for (const target of seen) {
        const isUsed = imports.some(
          ([file, used]) =>
            roomOf(file) === room && (used === `src/${target}` || (files.has(used) && roomOf(used) === target)),
        );
        expect(isUsed, `${room} sees ${target}`).toBe(true);
      }
    }
    for (const [name, users] of Object.entries(PACKAGES)) {
      for (const user of users) {
        const isUsed = imports.some(
          ([file, used]) => packageOf(used) === name && (roomOf(file) === user || file === `src/${user}`),
        );
        expect(isUsed, `${user} uses ${name}`).toBe(true);
      }
    }
  });
});

describe('imports in assembly/', () => {
  it('stay in assembly/', () => {
    const kernels = sourcesIn('assembly');
    const names = kernels.map(({ path }) => nameOf(path));
    expect(kernels.flatMap(importsOf).filter((target) => !names.includes(target))).toEqual([]);
  });
});
