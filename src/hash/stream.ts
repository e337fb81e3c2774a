import { checkSeed } from '../arguments.js';
import { type Bytes, checkBytes } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { STREAM_STATE_BYTES } from '../kernels/types.js';

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * XXH64 of data that comes in parts. The result does not depend on where the data is cut. The state is 80 bytes and
 * needs no disposal.
 * @example
 * new Xxh64().update('ab').update('c').digestHex(); // '44bc2cf5ad770999'
 */
export class Xxh64 {
  #state = new Uint8Array(STREAM_STATE_BYTES);
  #seed: bigint;

  /**
   * @param seed a bigint, taken modulo 2^64; 0 by default
   * @throws TypeError if it is not a bigint
   */
  constructor(seed?: bigint) {
    this.#seed = checkSeed(seed);
    kernels().xxh64Init(this.#state, this.#seed);
  }

  /**
   * Adds data.
   * @param data bytes, or a string, of which the UTF-8 bytes count. A lone surrogate counts as U+FFFD, so do not
   *   cut a surrogate pair between two updates
   * @throws TypeError if `data` is neither
   */
  update(data: string | Bytes): this {
    kernels().xxh64Update(this.#state, typeof data === 'string' ? encoder.encode(data) : checkBytes('data', data));
    return this;
  }

  /** The hash of all data so far, 0 to 2^64 - 1. More data can follow. */
  digest(): bigint {
    return kernels().xxh64Digest(this.#state);
  }

  /** The digest as 16 lower-case hexadecimal digits. */
  digestHex(): string {
    return this.digest().toString(16).padStart(16, '0');
  }

  /**
   * Starts again with a seed, by default the same one.
   * @throws TypeError if the seed is not a bigint
   */
  reset(seed?: bigint): this {
    if (seed !== undefined) this.#seed = checkSeed(seed);
    kernels().xxh64Init(this.#state, this.#seed);
    return this;
  }

  /** An independent copy that continues from here. */
  clone(): Xxh64 {
    const copy = makeXxh64(this.#seed);
    copy.#state.set(this.#state);
    return copy;
  }
}

/** Outside the class, because bundlers rename a class that refers to itself, and `console.log` would show that name. */
function makeXxh64(seed: bigint): Xxh64 {
  return new Xxh64(seed);
}
