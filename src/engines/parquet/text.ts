import { closeSync, openSync, readSync } from 'node:fs';
import type { RecordFormat } from '../../lines/records.js';
import { literal, type Session } from './session.js';

/** A text that no field is, so that none becomes NULL: an empty field stays an empty text. */
const NO_NULL = '\u{1F5C4} NULL of shardbits';

/** Longer records are refused: DuckDB has room for a few of them on each thread. */
const MAX_RECORD_BYTES = 2 ** 23;

const MAX_SHOWN = 100;

/**
 * Records in a file of text, as SQL. The columns of CSV are texts, because nothing says what they are. In NDJSON, a property
 * has the type that all its values have: BOOLEAN, BIGINT or UBIGINT, DOUBLE, VARCHAR, STRUCT or a list of one of them. If
 * they have several types, it is JSON. Dates stay texts.
 * @param file one that has been read as such records before, so it is well-formed
 * @throws Error for records that DuckDB would read as others than they are
 */
export async function recordsIn(session: Session, file: string, format: RecordFormat): Promise<string> {
  if (format.format === 'ndjson') return objectsIn(session, file);
  const { escape: escaper } = format;
  if (escaper !== undefined && hasControls(file, escaper)) {
    throw new Error(
      `expected no escaped control characters or NULL, such as ${escaper}n and ${escaper}N, in text for Parquet`,
    );
  }
  return tableIn(file, format);
}

const CONTROLS = new Set(Buffer.from('0bfnrtvZN'));

/** Whether a file has escapes that stand for other characters, which DuckDB does not know. */
function hasControls(file: string, escaper: string): boolean {
  const first = escaper.charCodeAt(0);
  const piece = Buffer.alloc(2 ** 20);
  const descriptor = openSync(file, 'r');
  try {
    let isEscaped = false;
    for (let length = readSync(descriptor, piece); length > 0; length = readSync(descriptor, piece)) {
      for (let at = 0; at < length; at++) {
        if (isEscaped && CONTROLS.has(piece[at])) return true;
        isEscaped = !isEscaped && piece[at] === first;
      }
    }
    return false;
  } finally {
    closeSync(descriptor);
  }
}

function tableIn(file: string, { format, delimiter, quote, escape: escaper, header = true }: RecordFormat): string {
  const quoted = quote === 'none' ? '' : '"';
  const options = {
    header: String(header),
    delim: literal(format === 'tsv' ? '\t' : (delimiter ?? ',')),
    quote: literal(quoted),
    escape: literal(escaper ?? quoted),
    nullstr: literal(NO_NULL),
    // Nothing is left to be detected, except for the names and the number of columns.
    comment: literal(''),
    skip: '0',
    all_varchar: 'true',
    strict_mode: 'false', // for line breaks of several kinds
    max_line_size: String(MAX_RECORD_BYTES),
    buffer_size: String(2 * MAX_RECORD_BYTES),
    hive_partitioning: 'false',
  };
  const list = Object.entries(options).map(([name, value]) => `, ${name} = ${value}`);
  return `read_csv(${literal(file)}${list.join('')})`;
}

async function objectsIn(session: Session, file: string): Promise<string> {
  const options = `maximum_object_size = ${MAX_RECORD_BYTES}, hive_partitioning = false`;
  const objects = `read_ndjson_objects(${literal(file)}, ${options})`;
  const [[found]] = await session.rows(`SELECT json_group_structure(json) FROM ${objects}`);
  const types: { [property: string]: unknown } = JSON.parse(String(found));
  const names = Object.keys(types);
  if (names.includes('')) throw new Error('expected properties with names, got one whose name is empty');
  const folded = new Map<string, string>();
  for (const name of names) {
    const other = folded.get(name.toLowerCase());
    if (other !== undefined)
      throw new Error(`expected properties whose names differ in more than case: ${other}, ${name}`);
    folded.set(name.toLowerCase(), name);
  }
  await checkUnique(session, objects);
  for (const name of await numbersThatChange(session, objects, types)) types[name] = 'JSON';
  return `(SELECT unnest(json_transform(json, ${literal(JSON.stringify(inParquet(types)))})) FROM ${objects})`;
}

/** Parquet has no HUGEINT, for integers below 0 and above 2^63 in one property, and no type of nothing. */
function inParquet(type: unknown): unknown {
  if (type === 'HUGEINT') return 'VARCHAR';
  if (type === 'NULL') return 'JSON';
  if (Array.isArray(type)) return type.map(inParquet);
  if (typeof type !== 'object' || type === null) return type;
  return Object.fromEntries(Object.entries(type).map(([name, value]) => [name, inParquet(value)]));
}

/** DuckDB takes the first of two properties with one name, JavaScript the last. */
async function checkUnique(session: Session, objects: string): Promise<void> {
  const isDouble = 'len(list_distinct(json_keys(json))) <> len(json_keys(json))';
  const [found] = await session.rows(`SELECT json::VARCHAR FROM ${objects} WHERE ${isDouble} LIMIT 1`);
  if (found !== undefined) {
    throw new Error(`expected each property once, got ${String(found[0]).slice(0, MAX_SHOWN)}`);
  }
}

/** Properties of fractions with numbers that a DOUBLE does not have: integers of many digits, and very large ones. */
async function numbersThatChange(session: Session, objects: string, types: { readonly [name: string]: unknown }) {
  const names = Object.keys(types).filter((name) => types[name] === 'DOUBLE');
  if (names.length === 0) return [];
  const changes = names.map((name) => {
    const text = `json_extract_string(json, ${literal(`$.${JSON.stringify(name)}`)})`;
    return `coalesce(bool_or(regexp_full_match(${text}, '-?[0-9]{16,}') OR isinf(TRY_CAST(${text} AS DOUBLE))), false)`;
  });
  const [found] = await session.rows(`SELECT ${changes.join(', ')} FROM ${objects}`);
  return names.filter((_, i) => found[i] === true);
}
