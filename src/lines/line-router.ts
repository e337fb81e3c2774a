import { type Column, type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import type { Router } from '../routing/router.js';
import type { Batch } from './batch.js';
import { LineHasher, type LineKeys } from './line-hasher.js';

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
  route(lines: Batch): Batch {
    const routed = this.#hasher.hash(lines).with({ shards: this.#shards });
    this.#byHash.routeMany(routed.hashes, { out: routed.shards });
    return routed;
  }

  free(): void {
    this.#hasher.free();
    this.#shards.free();
  }
}
