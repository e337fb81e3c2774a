import type { Store } from '../registry/index.js';
import { path, UsageError } from './usage.js';

interface Engine {
  readonly prefix: RegExp;
  /** What has to be installed beside shardbits. */
  readonly client: string;
  open(where: string): Promise<Store>;
}

const ENGINES: readonly Engine[] = [
  {
    prefix: /^(?![a-z0-9+.-]+:\/\/)/i,
    client: 'lmdb',
    open: async (path) => (await import('../registry/stores/lmdb.js')).lmdbStore(path),
  },
];

export const storeOption = [
  '--store <file>',
  'where ids are kept: a file of LMDB, made if there is none (required)',
  path,
] as const;

/** Opens the store that an option names. */
export async function openStore(where: string): Promise<Store> {
  const engine = ENGINES.find(({ prefix }) => prefix.test(where));
  if (engine === undefined || where === '') throw new UsageError(`expected a path for a store, got "${where}"`);
  try {
    return await engine.open(where);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`${engine.client} is not installed: npm install ${engine.client}`, { cause: error });
  }
}
