import { detailsOf } from '../../errors.js';

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
