import { CORE_WASM_HEX } from './core.generated.js';

/**
 * The embedded module's bytes. In hexadecimal, as compressors then see whole bytes: it takes 5.4 KB of
 * gzip where base64 takes 7.0.
 */
export function coreBytes(): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: 'hex'): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(CORE_WASM_HEX, 'hex'); // in Node and its like; 1 ms sooner
  return Uint8Array.from(CORE_WASM_HEX.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** The embedded core, compiled here and now: in a millisecond or two. */
export function coreModule(): WebAssembly.Module {
  return new WebAssembly.Module(coreBytes());
}

/** The embedded core, compiled beside what the thread does. */
export function compileCore(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(coreBytes());
}
