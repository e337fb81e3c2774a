import { detailsOf } from '../../errors.js';
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

/** The kinds of keys that columns of types have. */
export const TYPES: { readonly [type: string]: KeyKind } = {
  VARCHAR: 'text',
  JSON: 'text',
  BLOB: 'bytes',
  UUID: 'uuid',
  TINYINT: 'int8',
  SMALLINT: 'int16',
  INTEGER: 'int32',
  BIGINT: 'int64',
  UTINYINT: 'uint8',
  USMALLINT: 'uint16',
  UINTEGER: 'uint32',
  UBIGINT: 'u64',
  DECIMAL: 'decimal',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
};
