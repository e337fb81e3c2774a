import { checkOptions, checkRecord } from '../arguments.js';
import { type BytesColumn, checkBytes } from '../columns/keys.js';
import { kernelsWithColumns } from '../kernels/resident.js';
import { checkRouting, type Routing } from '../routing/routing.js';
import type { Batch } from './batch.js';
import { bytesColumnOf } from './fields.js';
import type { LineKeys } from './hash.js';
import { type CheckedFormat, checkRecordFormat, type RecordFormat, sourceOf } from './records.js';
import { checkLineKeys, LineRouter } from './route.js';
import { type BatchSource, drain, type Piece, piecesIn } from './source.js';

/**
 * Turns a stream of bytes into its lines, as Arrow-layout columns of up to 16,384 rows. A line ends at `\n` or
 * `\r\n`; bytes after the last newline are a line, too. A UTF-8 byte order mark at the start is left out. Memory does not
 * grow with the stream, except for its longest line.
 * @throws as errors of the stream: TypeError for a chunk that is not bytes; RangeError for a line above 512 MiB
 * @example
 * for await (const column of response.body.pipeThrough(lineStream())) xxh64Many(column);
 */
export function lineStream(): TransformStream<Uint8Array, BytesColumn> {
  return new TransformStream(new LineTransformer(() => piecesOf(undefined, bytesColumnOf)));
}

/** Records and their keys, row by row: Arrow-layout columns. */
export interface RecordColumns {
  /** The records, without their line ends. */
  records: BytesColumn;
  /** The keys. The parts of a compound key are joined as by `typedKey`. */
  keys: BytesColumn;
}

/**
 * Turns a stream of bytes into its records and their keys, up to 16,384 a chunk. The header of a table is not a record.
 * Memory does not grow with the stream, except for its longest record.
 * @throws TypeError or RangeError for arguments of the wrong kind or value. As errors of the stream: RangeError, with
 *   the line, for a record that is malformed or above 512 MiB; TypeError for a chunk that is not bytes
 * @example
 * const rows = response.body.pipeThrough(recordStream({ format: 'csv', key: 'email' }));
 * for await (const { keys } of rows) console.log(router.routeMany(keys));
 */
export function recordStream(records: RecordFormat): TransformStream<Uint8Array, RecordColumns> {
  checkRecord('records', records);
  const checked = checkRecordFormat(records);
  const of = (batch: Batch) => ({ records: bytesColumnOf(batch), keys: bytesColumnOf(batch.keys) });
  return new TransformStream(new LineTransformer(() => piecesOf(checked, of)));
}

/**
 * Turns a stream of bytes into the shards of its lines, up to 16,384 a chunk. Lines are as in {@link lineStream}.
 * @param options.keys `text` (default): a key is the bytes of a line. `u64`: it is a u64 in decimal. Not for a
 *   partitioner, which has its own kind of key
 * @param options.records for records and their keys instead of lines, as in {@link recordStream}
 * @throws TypeError or RangeError for arguments of the wrong kind or value. As errors of the stream:
 *   RangeError, with the line, for a key that is not a u64, a record that is malformed, or a line above 512 MiB; TypeError
 *   for a chunk that is not bytes
 * @example
 * const shards = file.stream().pipeThrough(routeStream(new Router({ shards: 1024 })));
 */
export function routeStream(
  router: Routing<any>,
  options: { keys?: LineKeys | undefined; records?: RecordFormat | undefined } = {},
): TransformStream<Uint8Array, Uint32Array> {
  checkRouting('router', router);
  const { keys: given, records } = checkOptions(options, ['keys', 'records']);
  const keys = checkLineKeys(router, given, records);
  const checked = checkRecordFormat(records);
  return new TransformStream(
    new LineTransformer(() => {
      const lineRouter = new LineRouter(kernelsWithColumns(), router, keys);
      return piecesOf(
        checked,
        (lines) => lineRouter.route(lines).shards.slice(),
        () => lineRouter.free(),
      );
    }),
  );
}

/** Makes chunks of lines. It holds kernel memory, which the garbage collector does not see. */
interface Pieces<T> {
  readonly source: BatchSource;
  /** The chunk for some lines, as a copy. */
  of(lines: Batch): T;
  free(): void;
}

/** @param freeMore frees what `of` uses */
function piecesOf<T>(records: CheckedFormat | undefined, of: (lines: Batch) => T, freeMore = () => {}): Pieces<T> {
  const source = sourceOf(kernelsWithColumns(), records);
  const free = () => {
    source.free();
    freeMore();
  };
  return { source, of, free };
}

// Not every platform tells a stream that it was abandoned half-way. Its memory is then freed when the stream is collected.
const abandoned = /* @__PURE__ */ whenCollected();

/** workerd has no FinalizationRegistry with compatibility dates before May 2025. */
function whenCollected(): FinalizationRegistry<Pieces<unknown>> | undefined {
  return typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry((pieces: Pieces<unknown>) => pieces.free());
}

class LineTransformer<T> implements Transformer<Uint8Array, T> {
  readonly #start: () => Pieces<T>;
  #pieces: Pieces<T> | undefined;

  constructor(start: () => Pieces<T>) {
    this.#start = start;
  }

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<T>): void {
    this.#freeIfFailing(() => {
      const bytes = checkBytes('chunk', chunk, 'bytes');
      const pieces = this.#started();
      enqueueAll(pieces, piecesIn(bytes, pieces.source), controller);
    });
  }

  flush(controller: TransformStreamDefaultController<T>): void {
    this.#freeIfFailing(() => {
      this.#pieces?.source.ended();
      if (this.#pieces !== undefined) enqueueAll(this.#pieces, drain(this.#pieces.source), controller);
    });
    this.cancel();
  }

  cancel(): void {
    this.#pieces?.free();
    this.#pieces = undefined;
    abandoned?.unregister(this);
  }

  #started(): Pieces<T> {
    if (this.#pieces === undefined) {
      this.#pieces = this.#start();
      abandoned?.register(this, this.#pieces, this);
    }
    return this.#pieces;
  }

  #freeIfFailing(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.cancel();
      throw error;
    }
  }
}

function enqueueAll<T>(
  { of }: Pieces<T>,
  pieces: Iterable<Piece>,
  controller: TransformStreamDefaultController<T>,
): void {
  for (const piece of pieces) {
    if (piece.kind === 'invalid') throw piece.error;
    if (piece.kind === 'batch') controller.enqueue(of(piece));
  }
}
