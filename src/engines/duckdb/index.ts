/**
 * Route keys and decode ids in DuckDB, by functions of SQL.
 * @module shardbits/duckdb
 */

export { type DuckdbOptions, register } from './register.js';
