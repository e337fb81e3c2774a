import { checkSeed } from '../arguments.js';
import { type Bytes, checkBytes } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { STREAM_STATE_BYTES } from '../kernels/contract.js';

const encoder = /* @__PURE__ */ new TextEncoder();

/**
 * XXH64 of data that comes in parts, however it is cut. It holds 80 bytes and needs no disposal.
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
   * Takes in more data.
   * @param data bytes, or a string: its UTF-8 bytes, a lone surrogate as U+FFFD, so that a pair must
   *   not be cut between two updates
   * @throws TypeError if it is neither
   */
  update(data: string | Bytes): this {
    kernels().xxh64Update(this.#state, typeof data === 'string' ? encoder.encode(data) : checkBytes('data', data));
    return this;
  }

  /** The hash of all data so far, 0 to 2^64 - 1; more can follow. */
  digest(): bigint {
    return kernels().xxh64Digest(this.#state);
  }

  /** The digest as 16 lower-case hexadecimal digits. */
  digestHex(): string {
    return this.digest().toString(16).padStart(16, '0');
  }

  /**
   * Starts again, with the same seed unless another is given.
   * @throws TypeError if the seed is not a bigint
   */
  reset(seed?: bigint): this {
    if (seed !== undefined) this.#seed = checkSeed(seed);
    kernels().xxh64Init(this.#state, this.#seed);
    return this;
  }

  /** An independent copy that goes on from here. */
  clone(): Xxh64 {
    const copy = makeXxh64(this.#seed);
    copy.#state.set(this.#state);
    return copy;
  }
}

/** Out of the class: bundlers give one that names itself another name, which `console.log` then shows. */
function makeXxh64(seed: bigint): Xxh64 {
  return new Xxh64(seed);
}
