import type { RecordFormat } from '../../lines/records.js';
import { literal, type Session } from './session.js';

/** A text that no field is, so that none becomes NULL: an empty field stays an empty text. */
const NO_NULL = '\u{1F5C4} NULL of shardbits';

/**
 * Records in a file of text, as SQL. The columns of CSV are texts, because nothing says what they are. In NDJSON, a property
 * has the type that all its values have: BOOLEAN, BIGINT or UBIGINT, DOUBLE, VARCHAR, STRUCT or a list of one of them. If
 * they have several types, it is JSON. Dates stay texts.
 * @param file one that has been read as such records before, so it is well-formed
 */
export async function recordsIn(session: Session, file: string, format: RecordFormat): Promise<string> {
  return format.format === 'ndjson' ? objectsIn(session, file) : tableIn(file, format);
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
  };
  const list = Object.entries(options).map(([name, value]) => `, ${name} = ${value}`);
  return `read_csv(${literal(file)}${list.join('')})`;
}

async function objectsIn(session: Session, file: string): Promise<string> {
  const objects = `read_ndjson_objects(${literal(file)})`;
  const [[found]] = await session.rows(`SELECT json_group_structure(json) FROM ${objects}`);
  // Parquet has no HUGEINT, for integers below 0 and above 2^63 in one property, and no type of nothing. A name is followed
  // by a colon.
  const structure = String(found)
    .replace(/"HUGEINT"(?!:)/g, '"VARCHAR"')
    .replace(/"NULL"(?!:)/g, '"JSON"');
  return `(SELECT unnest(json_transform(json, ${literal(structure)})) FROM ${objects})`;
}
