import { CORE_WASM_HEX } from './core.generated.js';
import { bytesOfHex } from './hex.js';

/** The embedded module's bytes. */
export function coreBytes(): Uint8Array<ArrayBuffer> {
  return bytesOfHex(CORE_WASM_HEX);
}

/** The embedded core, compiled here and now: in a millisecond or two. */
export function coreModule(): WebAssembly.Module {
  return new WebAssembly.Module(coreBytes());
}

/** The embedded core, compiled beside what the thread does. */
export function compileCore(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(coreBytes());
}
