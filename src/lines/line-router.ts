import { type Column, type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import type { Router } from '../routing/router.js';
import type { Lines } from './line-batches.js';
import { LineHasher, type LineKeys } from './line-hasher.js';
import type { RoutedLines } from './row-writer.js';

/** Routes batches of lines, by hashes that never leave the kernels' memory. */
export class LineRouter {
  readonly #hasher: LineHasher;
  readonly #byHash: Router;
  readonly #shards: Column<'u32'>;

  constructor(kernels: Kernels, router: Router, keys: LineKeys) {
    this.#hasher = new LineHasher(kernels, { keys, hash: router.hash, seed: router.seed });
    this.#byHash = router.with({ hash: 'none' });
    this.#shards = kernels.column('u32', PIECE_ROWS);
  }

  /**
   * The lines with their shards, good until the next call.
   * @throws LineError for a u64 key that is none
   */
  route(lines: Lines): RoutedLines {
    this.#hasher.hash(lines);
    this.#byHash.routeMany(this.#hasher.hashes(lines.count), { out: this.#shards.array.subarray(0, lines.count) });
    return new Routed(lines, this.#shards);
  }

  free(): void {
    this.#hasher.free();
    this.#shards.free();
  }
}

/** A class for the reason that `Batch` of line-batches.ts is one. */
class Routed implements RoutedLines {
  readonly #shards: Column<'u32'>;

  constructor(
    readonly lines: Lines,
    shards: Column<'u32'>,
  ) {
    this.#shards = shards;
  }

  get shards(): Uint32Array {
    return this.#shards.array.subarray(0, this.lines.count);
  }
}
