/**
 * WebAssembly cannot be compiled or run here: it is missing or without SIMD, forbidden by the runtime
 * or by a Content-Security-Policy without `'wasm-unsafe-eval'`, or it has no memory to give. The
 * `bigint` backend gives the same results.
 */
export class CompileBlockedError extends Error {
  override readonly name = 'CompileBlockedError';
  readonly code = 'ERR_COMPILE_BLOCKED';

  /** @param cause what the engine threw */
  constructor(cause: unknown) {
    super(`WebAssembly cannot be had here: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
