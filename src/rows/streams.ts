import { checkOptions, checkRecord } from '../arguments.js';
import { type BytesColumn, checkBytes } from '../columns/keys.js';
import type { Kernels } from '../kernels/types.js';
import { checkRouting, type Routing } from '../routing/routing.js';
import { type Batch, bytesColumnOf, type Piece, Refused } from './batch.js';
import {
  type CheckedFormat,
  checkLineKeys,
  checkRecordFormat,
  formatFor,
  type LineKeys,
  type RecordFormat,
  sourceOf,
} from './format.js';
import { OpenOperation } from './operations/operation.js';
import { rowRouter } from './operations/route.js';
import type { BufferedSource } from './sources/lines.js';

/**
 * Turns a stream of bytes into its lines, as Arrow-layout columns of up to 16,384 rows. A line ends at `\n` or
 * `\r\n`; bytes after the last newline are a line, too. A UTF-8 byte order mark at the start is left out. Memory does not
 * grow with the stream, except for its longest line.
 * @throws as errors of the stream: TypeError for a chunk that is not bytes; RangeError for a line above 16 MiB
 * @example
 * for await (const column of response.body.pipeThrough(lineStream())) xxh64Many(column);
 */
export function lineStream(): TransformStream<Uint8Array, BytesColumn> {
  return new TransformStream(new LineTransformer(undefined, () => new OpenOperation(bytesColumnOf)));
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
 *   the line, for a record that is malformed or above 16 MiB; TypeError for a chunk that is not bytes
 * @example
 * const rows = response.body.pipeThrough(recordStream({ format: 'csv', key: 'email' }));
 * for await (const { keys } of rows) console.log(router.routeMany(keys));
 */
export function recordStream(records: RecordFormat): TransformStream<Uint8Array, RecordColumns> {
  checkRecord('records', records);
  const checked = checkRecordFormat(records);
  const of = (batch: Batch) => ({ records: bytesColumnOf(batch), keys: bytesColumnOf(batch.keys) });
  return new TransformStream(new LineTransformer(checked, () => new OpenOperation(of)));
}

/**
 * Turns a stream of bytes into the shards of its lines, up to 16,384 a chunk. Lines are as in {@link lineStream}.
 * @param options.keys `text` (default): a key is the bytes of a line. `u64`: it is a u64 in decimal. `hex`, `base64`: the
 *   line says its bytes. A partitioner has its own kind of key; only `bytes` may be in `hex` or `base64`
 * @param options.records for records and their keys instead of lines, as in {@link recordStream}
 * @throws TypeError or RangeError for arguments of the wrong kind or value. As errors of the stream:
 *   RangeError, with the line, for a key that is not of this kind, a record that is malformed, or a line above 16 MiB; TypeError
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
  const checked = formatFor(checkRecordFormat(records), [router]);
  return new TransformStream(
    new LineTransformer(checked, (kernels) => {
      const routed = rowRouter(kernels, { routing: router, keys });
      const work = (lines: Batch) => {
        const rows = routed(lines);
        return rows instanceof Refused ? rows : rows.shards.slice();
      };
      return new OpenOperation(work, { takesNull: true });
    }),
  );
}

// Not every platform tells a stream that it was abandoned half-way. Its memory is then freed when the stream is collected.
// workerd has no FinalizationRegistry with compatibility dates before May 2025.
const abandoned =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : /* @__PURE__ */ new FinalizationRegistry((source: BufferedSource) => source.free());

class LineTransformer<T> implements Transformer<Uint8Array, T> {
  /** What makes the chunks. It holds kernel memory, which the garbage collector does not see. */
  #started: { readonly source: BufferedSource; readonly making: OpenOperation<T> } | undefined;

  /** @param open gets kernels whose columns are freed when the stream ends; chunks are copies */
  constructor(
    private readonly records: CheckedFormat | undefined,
    private readonly open: (kernels: Kernels) => OpenOperation<T>,
  ) {}

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<T>): void {
    this.#enqueue(controller, () => {
      const bytes = checkBytes('chunk', chunk, 'bytes');
      if (this.#started === undefined) {
        const source = sourceOf(this.records);
        abandoned?.register(this, source, this);
        this.#started = { source, making: this.open(source.kernels) };
      }
      return this.#started.source.add(bytes);
    });
  }

  flush(controller: TransformStreamDefaultController<T>): void {
    this.#enqueue(controller, () => {
      this.#started?.source.ended();
      return this.#started?.source.drain() ?? [];
    });
    this.cancel();
  }

  cancel(): void {
    this.#started?.source.free();
    this.#started = undefined;
    abandoned?.unregister(this);
  }

  /** Puts out the chunks of some pieces. Frees the memory if a piece cannot be made or is invalid. */
  #enqueue(controller: TransformStreamDefaultController<T>, makePieces: () => Iterable<Piece>): void {
    try {
      for (const piece of makePieces()) {
        if (piece.kind === 'invalid') throw piece.error;
        if (piece.kind !== 'batch') continue;
        const chunk = this.#started?.making.run(piece, 0);
        if (chunk instanceof Refused) throw chunk.error;
        controller.enqueue(chunk);
      }
    } catch (error) {
      this.cancel();
      throw error;
    }
  }
}
