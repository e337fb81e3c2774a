import { literal, type Session } from './session.js';

/** Longer records are refused: DuckDB has room for a few of them on each thread. */
export const MAX_RECORD_BYTES = 2 ** 23;

const MAX_SHOWN = 100;

/** What DuckDB finds in objects: a type of SQL, a list of one of them, or the types of properties. */
type Found = string | readonly [Found] | { readonly [property: string]: Found };

/**
 * Objects of NDJSON, as SQL. A property has the type that all its values have; JSON, if they have several.
 * @param key the path of the property that is the key, which is text rather than JSON: that is how keys are routed
 * @throws Error for records that DuckDB would read as others than they are
 */
export async function objectsIn(session: Session, file: string, key: string | undefined): Promise<string> {
  const options = `maximum_object_size = ${MAX_RECORD_BYTES}, hive_partitioning = false`;
  const objects = `read_ndjson_objects(${literal(file)}, ${options})`;
  // One record stands for all that have its structure: the memory of json_group_structure grows with each record.
  const kinds = `SELECT any_value(json) AS json FROM ${objects} GROUP BY json_structure(json)`;
  const [[found]] = await session.rows(`SELECT json_group_structure(json) FROM (${kinds})`);
  const types: { readonly [property: string]: Found } = JSON.parse(String(found));
  checkNames(types);
  await checkUnique(session, objects, types);
  const places = placesIn(types);
  if (places.some(({ type }) => type === 'DOUBLE' || type === 'JSON')) await checkNumbers(session, objects);
  const changing = await changingNumbers(session, objects, places);
  const isKey = ({ path, type }: Place) => type === 'JSON' && path === key;
  const all = new Map([
    ...changing.map((place) => [place.sql, 'JSON'] as const),
    ...places.filter(isKey).map((place) => [place.sql, 'VARCHAR'] as const),
  ]);
  const transformed = literal(JSON.stringify(inParquet(types, all)));
  return `(SELECT unnest(json_transform(json, ${transformed})) FROM ${objects})`;
}

/** A value of an object that has no properties of its own, or those at the same place in a list. */
interface Place {
  /** The names of properties with dots between them; null inside of a list. */
  readonly path: string | null;
  /** The path in DuckDB's words. */
  readonly sql: string;
  readonly type: string;
}

const within = (sql: string, name: string): string => `${sql}.${JSON.stringify(name)}`;

function placesIn(types: Found, path: string | null = '', sql = '$'): Place[] {
  if (typeof types === 'string') return [{ path, sql, type: types }];
  if (isList(types)) return placesIn(types[0], null, `${sql}[*]`);
  return Object.entries(types).flatMap(([name, type]) => {
    const inside = path === null ? null : path === '' ? name : `${path}.${name}`;
    return placesIn(type, inside, within(sql, name));
  });
}

/** The paths of a record and all objects in it; undefined if some are in lists. */
function objectPaths(types: Found, sql = '$'): string[] | undefined {
  if (typeof types === 'string') return [];
  if (isList(types)) return objectPaths(types[0])?.length === 0 ? [] : undefined;
  const inside = Object.entries(types).map(([name, type]) => objectPaths(type, within(sql, name)));
  return inside.includes(undefined) ? undefined : [literal(sql), ...inside.flat().filter((path) => path !== undefined)];
}

const isList = (types: Found): types is readonly [Found] => Array.isArray(types);

/** Parquet has no HUGEINT, for integers below 0 and above 2^63 in one property, and no type of nothing. */
function inParquet(types: Found, changed: ReadonlyMap<string, string>, sql = '$'): Found {
  if (isList(types)) return [inParquet(types[0], changed, `${sql}[*]`)];
  if (typeof types !== 'string') {
    const inside = Object.entries(types).map(([name, type]) => [name, inParquet(type, changed, within(sql, name))]);
    return Object.fromEntries(inside);
  }
  const own = changed.get(sql) ?? types;
  return own === 'HUGEINT' ? 'VARCHAR' : own === 'NULL' ? 'JSON' : own;
}

/** SQL takes names that differ only in case for one, and needs a name. */
function checkNames(types: Found): void {
  if (typeof types === 'string') return;
  if (isList(types)) {
    checkNames(types[0]);
    return;
  }
  const folded = new Map<string, string>();
  for (const [name, type] of Object.entries(types)) {
    if (name === '') throw new Error('expected properties with names, got one whose name is empty');
    const other = folded.get(name.toLowerCase());
    if (other !== undefined)
      throw new Error(`expected properties whose names differ in more than case: ${other}, ${name}`);
    folded.set(name.toLowerCase(), name);
    checkNames(type);
  }
}

/** DuckDB takes the first of two properties with one name, JavaScript the last. */
async function checkUnique(session: Session, objects: string, types: { readonly [property: string]: Found }) {
  // The tree of a record takes 10 us, and the names of an object 1 us.
  const paths = objectPaths(types);
  const isDouble =
    paths === undefined
      ? '(SELECT count(*) <> count(DISTINCT fullkey) FROM json_tree(json))'
      : paths
          .map((path) => `len(list_distinct(json_keys(json, ${path}))) <> len(json_keys(json, ${path}))`)
          .join(' OR ');
  const [found] = await session.rows(`SELECT json::VARCHAR FROM ${objects} WHERE ${isDouble} LIMIT 1`);
  if (found !== undefined) throw new Error(`expected each property once, got ${shown(found[0])}`);
}

const shown = (record: unknown): string => String(record).slice(0, MAX_SHOWN);

/** Numbers with a point or an exponent, and integers of 19 digits or more. They can also be in a text. */
const NUMBERS = '[:,\\[]\\s*(-?[0-9]+(?:[.][0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+|[0-9]{18}))';
/** A text, or a number. */
const VALUE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** DuckDB reads fractions, and integers beyond 64 bits, as DOUBLE, which holds up to 15 digits as they are. */
async function checkNumbers(session: Session, objects: string): Promise<void> {
  const numbers = `regexp_extract_all(json::VARCHAR, '${NUMBERS}', 1)`;
  const isOther = "(length(n) > 16 OR n ILIKE '%e%') AND CAST(TRY_CAST(n AS DOUBLE) AS VARCHAR) IS DISTINCT FROM n";
  const some = `SELECT json::VARCHAR FROM ${objects} WHERE len(list_filter(${numbers}, lambda n: ${isOther})) > 0`;
  for await (const chunk of session.chunks(some)) {
    for (const record of chunk.getColumnValues(0)) {
      const values = String(record).match(VALUE) ?? [];
      const changed = values.find((value) => !value.startsWith('"') && changesAsDouble(value));
      if (changed === undefined) continue;
      throw new Error(`expected numbers that a DOUBLE holds, or strings, got ${changed} in ${shown(record)}`);
    }
  }
}

/** The digits that count, without the zeros around them. */
const digitsOf = (text: string): string =>
  text
    .replace(/e.*/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');

function changesAsDouble(text: string): boolean {
  const isInteger = /^-?\d+$/.test(text);
  if (isInteger && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 64n) return false;
  if (!Number.isFinite(Number(text))) return false; // DuckDB keeps it as text
  return digitsOf(text) !== digitsOf(String(Number(text)));
}

/** The places of fractions that also have integers of many digits, or numbers that are too large. */
async function changingNumbers(session: Session, objects: string, places: readonly Place[]): Promise<Place[]> {
  const fractions = places.filter(({ type }) => type === 'DOUBLE');
  if (fractions.length === 0) return [];
  const isIn = fractions.map(({ path, sql }) => {
    const value = `json_extract_string(json, ${literal(sql)})`;
    const all = path === null ? value : `[${value}]`;
    const isChanged = `regexp_full_match(n, '-?[0-9]{16,}') OR isinf(TRY_CAST(n AS DOUBLE))`;
    return `coalesce(bool_or(len(list_filter(${all}, lambda n: ${isChanged})) > 0), false)`;
  });
  const [found] = await session.rows(`SELECT ${isIn.join(', ')} FROM ${objects}`);
  return fractions.filter((_, i) => found[i] === true);
}
