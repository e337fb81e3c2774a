import { StoreCorruptError } from '../../../errors.js';
import { madeBeforeRelease } from '../shared/string-hashes.js';
import { prepare, type SqliteDatabase, type Value } from './driver.js';
import { isIdentified } from './log.js';
import { createTable, FIRST_SETTINGS, FORMAT, TABLES, UNRELEASED_FORMATS } from './tables.js';

// A store that lacks a part would give second ids, or the same id twice. So it is compared with what `createTables` makes:
// the statements in sqlite_schema have the columns, types, keys and constraints of each table.

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string;
}

const NAMES = Object.keys(TABLES);

/**
 * Whether a database has a store.
 * @param name of the store, for errors
 * @throws StoreCorruptError if a part of the store is missing, is not as the store makes it, or has another format
 */
export function hasStore(database: SqliteDatabase, name: string): boolean {
  const listed = NAMES.map((table) => `'${table}'`).join();
  const found = prepare<SchemaRow>(
    database,
    `select type, lower(name) as name, lower(tbl_name) as tbl_name, sql from sqlite_schema
     where lower(tbl_name) in (${listed}) and sql is not null order by name`,
  ).all();
  const missing = NAMES.filter((table) => !found.some((row) => row.type === 'table' && row.name === table));
  if (missing.length === NAMES.length) return false;
  if (missing.length > 0) throw damaged(name, `a part of the store is missing: ${missing.join(', ')}`);
  const [settings] = NAMES;
  for (const row of found.filter((row) => row.tbl_name === settings)) checkPart(row, name);
  checkSettings(database, name); // before the other tables, which another format has otherwise
  for (const row of found) checkPart(row, name);
  // Only a whole copy of a file has its identity. What was made of statements may lack the last ones.
  if (!isIdentified(database)) checkHashes(database, name);
  return true;
}

/** @throws StoreCorruptError if there are not as many hashes as strings or types, so that some are not found */
export function checkHashes(database: SqliteDatabase, name: string): void {
  for (const table of ['shardbits_types', 'shardbits_strings']) {
    // One statement reads one snapshot. Others may write between two.
    const { rows, hashes } = prepare(
      database,
      `select (select count(*) from ${table}) as rows, (select count(*) from ${table}_by_hash) as hashes`,
    ).get() as { rows: bigint; hashes: bigint };
    if (rows !== hashes) {
      throw damaged(name, `a part of the store is missing: ${table} has ${rows} rows, and ${table}_by_hash ${hashes}`);
    }
  }
}

function checkPart({ type, name: part, tbl_name: table, sql }: SchemaRow, name: string): void {
  if (type !== 'table') {
    const message = `${name}: the ${type} ${part} on ${table} is not the store's. Find out who made it, and drop it`;
    throw new StoreCorruptError(message);
  }
  const expected = createTable(table);
  if (plain(sql) !== plain(expected)) throw damaged(name, `expected "${expected}", got "${sql}"`);
}

/** A statement as the store writes it: tools quote names, and break lines. */
function plain(sql: string): string {
  const words = sql.toLowerCase().replace(/["'`[\]]/g, '');
  return words
    .replace(/\s/g, ' ')
    .split(' ')
    .filter(Boolean)
    .join(' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .replace('table if not exists', 'table');
}

function checkSettings(database: SqliteDatabase, name: string): void {
  const setting = prepare<{ value: Value }>(database, 'select value from shardbits_settings where name = ?');
  const [format, ...others] = FIRST_SETTINGS.map((key) => setting.get(key)?.value);
  if (format !== undefined && UNRELEASED_FORMATS.includes(format)) throw madeBeforeRelease(name);
  if (format !== FORMAT) {
    throw new StoreCorruptError(`${name}: expected a store of format ${FORMAT}, got ${format ?? 'none'}`);
  }
  const missing = FIRST_SETTINGS.slice(1).filter((_, i) => others[i] === undefined);
  if (missing.length > 0) throw damaged(name, `a part of the store is missing: the setting ${missing.join(', ')}`);
}

function damaged(name: string, why: string): StoreCorruptError {
  return new StoreCorruptError(`${name}: ${why}; restore a backup`);
}
