import { describeValue, visible } from '../arguments.js';
import type { LineDetails } from '../errors.js';
import type { Spans } from '../kernels/types.js';
import type { Batch, Header, InvalidLine, Piece } from './batch.js';

const SHOWN_BYTES = 4096;

/** The start of a malformed line or record, for an error. All of it could be too long for a string. */
export function shownText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(0, SHOWN_BYTES));
}

/** A line or record with bad data. What else is known of it is a property of the error, too. */
export class LineError extends RangeError {
  readonly code = 'ERR_OUT_OF_RANGE';
  readonly #details: LineDetails;

  /**
   * @param line the number of the line, from 1
   * @param file the file of the line, if it is known; `-` for a stream
   */
  constructor(
    readonly line: number,
    readonly expected: string,
    readonly got: unknown,
    readonly file?: string,
    details: LineDetails = {},
  ) {
    super(visible(messageOf(line, expected, got, file, details)));
    this.#details = details;
    Object.assign(this, details);
  }

  /** The same error, which names its file. */
  in(file: string, details?: LineDetails): LineError {
    return new LineError(this.line, this.expected, this.got, file, { ...this.#details, ...details });
  }

  /** The same error in another line. */
  at(line: number, file: string): LineError {
    return new LineError(line, this.expected, this.got, file, this.#details);
  }
}

function messageOf(
  line: number,
  expected: string,
  got: unknown,
  file: string | undefined,
  { field, isRawNeeded, text }: LineDetails,
): string {
  const place = file === undefined ? `line ${line}` : `${file}:${line}`;
  const about = field === undefined ? '' : `${field}: `;
  const raw = isRawNeeded ? '; with "raw", times are in units of their field' : '';
  const other = text === undefined ? '' : `; with "text" ${text}, such ids are read`;
  return `${place}: ${about}expected ${expected}, got ${describeValue(got)}${raw}${other}`;
}

/** A line or a record whose key, or another text, is not of the expected kind. */
export class KeyError extends LineError {
  constructor(lines: Batch, row: number, expected: string, { data, starts, ends }: Spans = lines.keys) {
    const text = shownText(data.subarray(starts[row], ends[row]));
    super(lines.lineOf(row), expected, text);
  }
}

/** The error for a name that is none of the fields of a layout. */
export function unknownField(line: number, name: string, fields: readonly string[]): LineError {
  return new LineError(line, `one of ${fields.join(', ')}`, name, undefined, { known: fields });
}

/** A record that is malformed. @param bytes a copy of it, without its line end */
export function malformed(line: number, expected: string, bytes: Uint8Array): InvalidLine {
  return { kind: 'invalid', line, error: new LineError(line, expected, shownText(bytes)), bytes };
}

/** A row that an operation refuses, counted from the first one of its batch. */
export class Refused {
  constructor(
    readonly row: number,
    readonly error: Error,
  ) {}
}

/** Refuses a row whose key, or another text, is not what was expected. */
export function refuse(batch: Batch, row: number, expected: string, texts?: Spans): Refused {
  return new Refused(row, new KeyError(batch, row, expected, texts));
}

/** The result of some rows, or a row that is refused. */
export type Outcome<T> = { readonly kind: 'value'; readonly value: T; readonly rows: number } | InvalidLine;

// After a refused row only this many are tried, then twice as many each time, so that little work is lost if many are.
const ROWS_AFTER_REFUSED = 16;

/**
 * Does an operation on the rows of a batch, in their order. A row that is refused is left out: what is before it is done
 * again, and then what is after it. Pieces other than batches stay as they are.
 */
export function* outcomesOf<T>(piece: Piece, run: (batch: Batch) => T | Refused): Generator<Outcome<T> | Header> {
  if (piece.kind !== 'batch') return yield piece;
  const { count } = piece;
  let most = count;
  let invalid: { readonly at: number; readonly line: InvalidLine } | undefined; // kept while the rows before it are done
  for (let from = 0, to = count; from < count; to = invalid ? to : Math.min(from + most, count)) {
    const rows = piece.slice(from, to);
    const result = from === to ? undefined : run(rows);
    if (result instanceof Refused) {
      invalid = { at: from + result.row, line: invalidLine(rows, result) };
      to = invalid.at;
      continue;
    }
    if (from < to) yield { kind: 'value', value: result as T, rows: to - from };
    from = to;
    most *= 2;
    if (invalid === undefined) continue;
    yield invalid.line;
    from++;
    most = ROWS_AFTER_REFUSED;
    invalid = undefined;
  }
}

/** A copy, because what is done again has its results in the same memory. */
function invalidLine(rows: Batch, { row, error }: Refused): InvalidLine {
  const bytes = rows.data.slice(rows.starts[row], rows.ends[row]);
  return { kind: 'invalid', line: rows.lineOf(row), error, bytes };
}
