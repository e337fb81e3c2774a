import { bytesOfHex } from './hex.js';
import { PARTITIONERS_WASM_HEX } from './partitioners.generated.js';

/** The embedded module for partitioners, compiled here and now. */
export function partitionersModule(): WebAssembly.Module {
  return new WebAssembly.Module(bytesOfHex(PARTITIONERS_WASM_HEX));
}
