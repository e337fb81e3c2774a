import { detailsOf } from '../../errors.js';
import type { ColumnType } from '../../partitioners/columns.js';
import type { KeyKind } from '../../partitioners/keys.js';

export type Api = typeof import('@duckdb/node-api');

/** @param user what needs it, for the error that names the package if it is not installed */
export async function loadApi(user: string): Promise<Api> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    const why = detailsOf(cause).message;
    throw new Error(`${user} needs the package "@duckdb/node-api": npm install @duckdb/node-api (${why})`, { cause });
  }
}

/** What the columns of types are: the kind of their keys, and how those systems know them that have a rule for the type. */
export const TYPES: { readonly [type: string]: { readonly kind: KeyKind | 'u64'; readonly column?: ColumnType } } = {
  VARCHAR: { kind: 'text' },
  BLOB: { kind: 'bytes' },
  UUID: { kind: 'uuid' },
  TINYINT: { kind: 'int32', column: 'int8' },
  SMALLINT: { kind: 'int32', column: 'int16' },
  INTEGER: { kind: 'int32', column: 'int32' },
  BIGINT: { kind: 'int64', column: 'int64' },
  UTINYINT: { kind: 'int32', column: 'uint8' },
  USMALLINT: { kind: 'int32', column: 'uint16' },
  UINTEGER: { kind: 'int64', column: 'uint32' },
  UBIGINT: { kind: 'u64', column: 'uint64' },
  JSON: { kind: 'text', column: 'json' },
};
