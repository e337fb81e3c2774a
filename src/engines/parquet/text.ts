import { closeSync, openSync, readSync } from 'node:fs';
import type { RecordFormat } from '../../lines/records.js';
import { MAX_RECORD_BYTES, objectsIn } from './objects.js';
import { literal, type Session } from './session.js';

/** A text that no field is, so that none becomes NULL: an empty field stays an empty text. */
const NO_NULL = '\u{1F5C4} NULL of shardbits';

/**
 * Records in a file of text, as SQL. The columns of CSV are texts, because nothing says what they are. In NDJSON, a property
 * has the type that all its values have: BOOLEAN, BIGINT or UBIGINT, DOUBLE, VARCHAR, STRUCT or a list of one of them. If
 * they have several types, it is JSON. Dates stay texts.
 * @param file one that has been read as such records before, so it is well-formed
 * @param key the path of the property that is the key, if there is one alone
 * @throws Error for records that DuckDB would read as others than they are
 */
export async function recordsIn(
  session: Session,
  file: string,
  format: RecordFormat,
  key: string | undefined,
): Promise<string> {
  if (format.format === 'ndjson') return objectsIn(session, file, key);
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
