import manifest from '../../package.json' with { type: 'json' };
import { sourcesIn } from './sources.js';

const KERNELS = ['kernels/active', 'kernels/types'];

/**
 * Who may import whom in src/ and bench/, from the top down. A room is a folder of src/, or a file with rights of its own; a
 * file belongs to the room with the longest name that fits. It may import the files of its own room, the rooms and single
 * files that are named here, and the GROUND. The room `shardbits` has the entries of the package, as programs import them.
 */
export const ROOMS: { readonly [room: string]: readonly string[] } = {
  bench: ['shardbits', 'cli/commands/demo', 'detect/detect', 'engines/sql/index', 'index', 'partitioners/index'],
  shardbits: [],
  build: ['cli/options/facts', 'inspector/build'],
  'cli/main': [],
  'cli/start': ['cli/program'],
  'cli/program': ['cli/commands', 'cli/options', 'cli/terminal'],
  'cli/commands': [
    'cli/io',
    'cli/options',
    'cli/signals',
    'cli/terminal',
    'node/index',
    'detect/index',
    'engines/sql/index',
    'guess/index',
    'tokens',
    'map/index',
    'wide-ids/index',
    'registry/index',
    'registry/stores/sqlite/store',
    'registry/stores/postgres/store',
    'index',
  ],
  'cli/io': [
    'cli/options/input',
    'cli/options/placement',
    'cli/options/store',
    'cli/options/usage',
    'cli/signals',
    'cli/terminal',
    'node/index',
    'map/index',
    'registry/index',
    'tokens',
    'index',
  ],
  'cli/options': [
    'cli/terminal',
    'node/index',
    'map/index',
    'registry/index',
    'registry/stores/sqlite/store',
    'registry/stores/postgres/store',
    'registry/stores/etcd/store',
    'index',
    'partitioners/index',
  ],
  'cli/signals': ['node/index'],
  'cli/terminal': [],
  'inspector/build': [],
  'inspector/page': ['inspector/decode', 'inspector/read', 'tokens', 'wide-ids/index', 'index'],
  'inspector/decode': [
    'inspector/read',
    'tokens',
    'guess/index',
    'guess/rows',
    'wide-ids/index',
    'index',
    'kernels/index',
    'partitioners/index',
    'detect/index',
    'map/index',
  ],
  'inspector/read': ['tokens', 'wide-ids/index', 'index', 'kernels/index'],
  'node/index': ['node/jobs', 'node/threads', 'node/files', 'rows', 'routing', 'columns'],
  'node/jobs': [
    'node/parquet',
    'node/threads',
    'node/files',
    'guess/index',
    'tokens',
    'detect',
    'rows',
    'wide-ids',
    'partitioners',
    'routing',
    'layout',
    'columns',
    ...KERNELS,
  ],
  'node/threads': [
    ...['node/files', 'rows', 'partitioners', 'routing', 'hash', 'columns', ...KERNELS],
    'kernels/wasm/instance', // threads get what is compiled already
  ],
  'node/parquet': ['node/files', 'engines/duckdb/api', 'rows', 'partitioners', 'routing', 'columns', ...KERNELS],
  'node/files': ['rows', 'minting', 'kernels/types', 'columns', 'file-system'],
  'guess/index': ['guess'],
  guess: ['ids', 'layout', ...KERNELS],
  detect: [
    ...['partitioners', 'routing', 'hash', 'columns', ...KERNELS],
    ...['hashes-32', 'hashes-64', 'md5', 'words', 'xxh64'].map((name) => `kernels/js/${name}`),
  ],
  'engines/sql': ['engines/qualified', 'map', 'partitioners', 'routing', 'layout', 'kernels/js/xxh64'],
  'engines/sqlite': ['routing', 'layout', 'ids', 'hash', 'columns', 'kernels/types'],
  'engines/duckdb': ['map', 'wide-ids', 'partitioners', 'routing', 'layout', 'ids', 'hash', 'columns', 'kernels/types'],
  arrow: ['routing', 'layout', 'hash', 'columns', 'kernels/types'],
  sets: ['columns'],
  map: ['registry', 'partitioners', 'routing', 'hash', 'columns', 'notify'],
  'registry/index': ['registry/stores/memory', 'registry', 'minting/lease'],
  'registry/stores/sqlite': ['registry/stores/shared', 'registry', 'file-system'],
  'registry/stores/postgres': ['registry/stores/shared', 'registry', 'engines/qualified', 'columns'],
  'registry/stores/etcd': ['registry/stores/shared', 'registry'],
  'registry/stores/memory': ['registry/stores/shared', 'registry'],
  'registry/stores/shared': ['registry', 'kernels/active', 'kernels/partitioners', 'file-system'],
  registry: ['minting/lease', 'columns', 'notify'],
  index: ['minting', 'routing', 'layout', 'ids', 'hash', 'columns', ...KERNELS],
  'ids/index': ['layout', 'ids', 'kernels/types'],
  rows: ['tokens', 'wide-ids', 'layout', 'routing', 'columns', ...KERNELS, 'kernels/record-types', 'kernels/records'],
  tokens: ['wide-ids', 'ids', 'kernels/types'],
  'wide-ids': ['layout/fields', 'layout/time', 'columns', 'kernels/ids', 'kernels/types'],
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
  notify: [],
  'engines/qualified': [],
  'file-system': [],
  dates: [],
  formats: [],
  utf8: [],
  errors: [],
  arguments: [],
};

/** Every room may import these. They import nothing but each other. */
export const GROUND = ['errors', 'arguments', 'dates', 'formats', 'utf8'];

/** Who may use a thing: rooms, and single files of src/. */
export interface Users {
  readonly [thing: string]: readonly string[];
}

/** A thing that a file uses. */
export type Use = readonly [file: string, thing: string];

/** The sources of all rooms. */
export const sources = ['bench', 'src'].flatMap(sourcesIn);

/** What the rooms have: files without their extensions, and entries of the package. */
export const files: ReadonlySet<string> = new Set([
  'src/kernels/wasm/core.generated',
  'src/kernels/wasm/records.generated',
  'src/kernels/wasm/partitioners.generated',
  ...Object.keys(manifest.exports).map((entry) => entry.replace('.', 'shardbits')),
  ...sources.map(({ path }) => nameOf(path)),
]);

export function nameOf(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

/** The room of a file, which is named without its extension. */
export function roomOf(file: string): string {
  const fitting = Object.keys(ROOMS).filter((room) => `${file.replace(/^src\//, '')}/`.startsWith(`${room}/`));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? `no room for ${file}`;
}

const isUser = (user: string, file: string) => user === roomOf(file) || file === `src/${user}`;

export function mayUse(users: Users, [file, thing]: Use): boolean {
  return users[thing]?.some((user) => isUser(user, file)) ?? false;
}

/** What a table allows and nobody needs. */
export function unneeded(users: Users, uses: readonly Use[]): Use[] {
  const allowed = Object.entries(users).flatMap(([thing, some]) => some.map((user) => [user, thing] as const));
  return allowed.filter(([user, thing]) => !uses.some(([file, used]) => used === thing && isUser(user, file)));
}
