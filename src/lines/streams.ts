import { checkOneOf, checkOptions, wrongValue } from '../arguments.js';
import { type BytesColumn, checkBytes } from '../columns/keys.js';
import { kernelsWithColumns } from '../kernels/resident-columns.js';
import { checkRouter, type Router } from '../routing/router.js';
import type { Batch } from './batch.js';
import { bytesColumnOf } from './bytes-column.js';
import { LineBatches } from './line-batches.js';
import type { LineKeys } from './line-hasher.js';
import { LineRouter } from './line-router.js';

/**
 * A stream from bytes to their lines, as Arrow-layout columns of up to 16,384 rows. A line ends at `\n` or
 * `\r\n`; a last one without a newline counts. A UTF-8 byte order mark at the start is left out. Memory does not grow
 * with the stream, except for its longest line.
 * @throws TypeError, as an error of the stream, for a chunk that is no bytes; RangeError for a line above 512 MiB
 * @example
 * for await (const column of response.body.pipeThrough(lineStream())) xxh64Many(column);
 */
export function lineStream(): TransformStream<Uint8Array, BytesColumn> {
  return new TransformStream(new LineTransformer(() => new LinePieces()));
}

/**
 * A stream from bytes to the shards of their lines, up to 16,384 a chunk. Lines are as in {@link lineStream}.
 * @param options.keys `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64
 * @throws TypeError or RangeError for arguments of the wrong kind or value. As an error of the stream:
 *   RangeError, with the line, for a line that is not a u64 or above 512 MiB; TypeError for a chunk that is no bytes
 * @example
 * const shards = file.stream().pipeThrough(routeStream(new Router({ shards: 1024 })));
 */
export function routeStream(
  router: Router,
  options: { keys?: LineKeys | undefined } = {},
): TransformStream<Uint8Array, Uint32Array> {
  const { hash } = checkRouter('router', router);
  const { keys = 'text' } = checkOptions(options, ['keys']);
  checkOneOf('keys', keys, ['text', 'u64']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
  return new TransformStream(new LineTransformer(() => new RoutedPieces(router, keys)));
}

/** What is made of lines, with memory of the kernels' that no collector sees. */
interface Pieces<T> {
  readonly batches: LineBatches;
  /** What is made of some lines, in memory of its own. */
  of(lines: Batch): T;
  free(): void;
}

class LinePieces implements Pieces<BytesColumn> {
  readonly batches = new LineBatches(kernelsWithColumns());

  of = bytesColumnOf;

  free(): void {
    this.batches.free();
  }
}

class RoutedPieces implements Pieces<Uint32Array> {
  readonly batches = new LineBatches(kernelsWithColumns());
  readonly #router: LineRouter;

  constructor(router: Router, keys: LineKeys) {
    this.#router = new LineRouter(kernelsWithColumns(), router, keys);
  }

  of(lines: Batch): Uint32Array {
    return this.#router.route(lines).shards.slice();
  }

  free(): void {
    this.batches.free();
    this.#router.free();
  }
}

// A stream that is given up half-way is not told so on every platform; then its memory goes when it does.
const abandoned = /* @__PURE__ */ whenCollected();

/** workerd has none with compatibility dates before May 2025. */
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
      const pieces = this.#running();
      for (let from = 0; from < bytes.length; ) {
        const room = pieces.batches.room();
        const piece = bytes.subarray(from, from + room.length);
        room.set(piece);
        from += piece.length;
        pieces.batches.filled(piece.length);
        for (let lines = pieces.batches.next(); lines !== undefined; lines = pieces.batches.next()) {
          controller.enqueue(pieces.of(lines));
        }
      }
    });
  }

  flush(controller: TransformStreamDefaultController<T>): void {
    this.#freeIfFailing(() => {
      const last = this.#pieces?.batches.last();
      if (last !== undefined) controller.enqueue((this.#pieces as Pieces<T>).of(last));
    });
    this.cancel();
  }

  cancel(): void {
    this.#pieces?.free();
    this.#pieces = undefined;
    abandoned?.unregister(this);
  }

  #running(): Pieces<T> {
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
