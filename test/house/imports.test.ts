import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import typedoc from '../../docs/site/typedoc.json' with { type: 'json' };
import { files, GROUND, mayUse, nameOf, ROOMS, roomOf, sources, type Use, type Users, unneeded } from './rooms.js';
import { importsOf, type Source, sourcesIn } from './sources.js';

/** Who may import what is in no room. The rest is `*`: benchmarks compare with many packages, and use parts of tests. */
const PACKAGES: Users = {
  'node:*': [
    'build',
    'cli/main',
    'cli/program',
    'cli/commands',
    'cli/io',
    'cli/options',
    'cli/terminal',
    'inspector/build',
    'node/parquet',
    'node/jobs',
    'node/threads',
    'node/files',
    'registry/stores/sqlite',
    'registry/stores/postgres',
    'registry/stores/etcd',
    'registry/stores/shared',
    'file-system',
    'bench',
  ],
  'package.json': ['cli/program', 'bench'],
  '@assemblyscript/loader': ['kernels/wasm/modules'],
  '@duckdb/node-api': ['engines/duckdb', 'node/parquet', 'bench'],
  '@noble/hashes': ['detect/by-hand'],
  'apache-arrow': ['arrow', 'bench'],
  'cli-progress': ['cli/io/output'],
  commander: [
    'cli/program',
    'cli/commands/completion',
    'cli/commands/hash',
    'cli/options/command',
    'cli/options/usage',
  ],
  esbuild: ['build', 'inspector/build'],
  etcd3: ['registry/stores/etcd'],
  fzstd: ['inspector/read/open'],
  postgres: ['registry/stores/postgres/client', 'bench'],
  preact: ['inspector/page'],
  'roaring-wasm': ['sets'],
  terser: ['inspector/build'],
  tsup: ['build'],
  '*': ['bench'],
};

function mayImport(room: string, target: string): boolean {
  const seen = [room, ...GROUND, ...(ROOMS[room] ?? [])];
  return seen.includes(roomOf(target)) || seen.includes(target.slice('src/'.length));
}

function packageOf(specifier: string): string {
  if (builtinModules.includes(specifier.replace('node:', ''))) return 'node:*';
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return Object.hasOwn(PACKAGES, name) ? name : '*';
}

function importsIn(source: Source): Use[] {
  return importsOf(source).map((target) => [nameOf(source.path), target]);
}

/** The imports that the tables do not allow. */
function against(some: readonly Use[]): Use[] {
  return some.filter(([file, target]) =>
    files.has(target) ? !mayImport(roomOf(file), target) : !mayUse(PACKAGES, [file, packageOf(target)]),
  );
}

const imports = sources.flatMap(importsIn);

describe('imports in src/ and bench/', () => {
  it('are those that the tables allow', () => {
    expect(against(imports)).toEqual([]);
  });

  it('that go up, around a layer or to a package of others are noticed', () => {
    for (const [path, specifier] of [
      ['src/hash/xxh64.ts', '../routing/router.js'],
      ['src/routing/router.ts', '../kernels/wasm.js'],
      ['src/registry/stores/memory.ts', '../index.js'],
      ['src/inspector/page/app.tsx', '../../layout/layout.js'],
      ['src/ids/text.ts', '../arrow/chunks.js'],
      ['src/layout/layout.ts', 'node:fs'],
      ['src/registry/lease.ts', 'fs'],
      ['src/registry/stores/sqlite/store.ts', 'etcd4'],
      ['src/registry/stores/etcd/store.ts', '../sqlite/keys.js'],
      ['src/cli/options/input.ts', '../io/output.js'],
      ['src/cli/io/output.ts', '../commands/route.js'],
      ['src/cli/io/output.ts', 'commander'],
      ['src/map/plan.ts', 'shardbits/kernels'],
      ['bench/area.ts', '../src/hash/xxh64.js'],
      ['src/node/files/input.ts', 'preact/hooks'],
    ] as const) {
      expect(against(importsIn({ path, text: `import { x } from '${specifier}';` }))).toHaveLength(1);
      expect(against(importsIn({ path, text: `export type { X } from '${specifier}';` }))).toHaveLength(1);
    }
  });

  it('of the command line and the inspector are entries of the package and what reads and guesses ids', () => {
    const entries = typedoc.entryPoints.map((path) => nameOf(path.replace('../../src/', '')));
    const isGuest = (room: string) => /^(cli|inspector)\//.test(room);
    const seen = Object.entries(ROOMS).flatMap(([room, targets]) => (isGuest(room) ? targets : []));
    const others = seen.filter((target) => !isGuest(target) && !entries.includes(target));
    expect([...new Set(others)]).toEqual(['guess/index', 'tokens', 'guess/rows']);
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

describe('the files of src/ and bench/', () => {
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

  it('are at most 16 in a folder of src/', () => {
    const count = new Map<string, number>();
    for (const { path } of sourcesIn('src')) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      count.set(folder, (count.get(folder) ?? 0) + 1);
    }
    expect([...count].filter(([, n]) => n > 16)).toEqual([]);
  });
});

describe('the tables', () => {
  it('have a room for every file, and no room without files', () => {
    const rooms = new Set([...files].map(roomOf));
    expect([...rooms].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it('allow nothing that nobody needs', () => {
    const needed = new Set(
      imports.flatMap(([file, target]) =>
        [roomOf(target), target.replace(/^src\//, '')].map((seen) => `${roomOf(file)} sees ${seen}`),
      ),
    );
    const allowed = Object.entries(ROOMS).flatMap(([room, seen]) => seen.map((target) => `${room} sees ${target}`));
    expect(allowed.filter((one) => !needed.has(one))).toEqual([]);
    const packages = imports.filter(([, target]) => !files.has(target));
    expect(
      unneeded(
        PACKAGES,
        packages.map(([file, name]) => [file, packageOf(name)]),
      ),
    ).toEqual([]);
  });
});

describe('imports in assembly/', () => {
  it('stay in assembly/', () => {
    const kernels = sourcesIn('assembly');
    const names = kernels.map(({ path }) => nameOf(path));
    expect(kernels.flatMap(importsOf).filter((target) => !names.includes(target))).toEqual([]);
  });
});
