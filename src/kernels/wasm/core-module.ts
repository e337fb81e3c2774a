import { bytesOfHex } from '../hex.js';
import { CORE_WASM_HEX } from './core.generated.js';

/** The embedded module's bytes. */
export function coreBytes(): Uint8Array<ArrayBuffer> {
  return bytesOfHex(CORE_WASM_HEX);
}

/** Compiles the embedded core, which takes a millisecond or two. */
export function coreModule(): WebAssembly.Module {
  return new WebAssembly.Module(coreBytes());
}

/** Compiles the embedded core without blocking the thread. */
export function compileCore(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(coreBytes());
}
