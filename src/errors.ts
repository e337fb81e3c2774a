/**
 * WebAssembly cannot be compiled here: it is missing, or forbidden by a Content-Security-Policy
 * without `'wasm-unsafe-eval'` or by the runtime. The `bigint` backend gives the same results.
 */
export class CompileBlockedError extends Error {
  override readonly name = 'CompileBlockedError';
  readonly code = 'ERR_COMPILE_BLOCKED';

  /** @param cause what the engine threw */
  constructor(cause: unknown) {
    super(`WebAssembly cannot be compiled here: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
