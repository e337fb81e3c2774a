import { bytesOfHex } from '../hex.js';
import { PARTITIONERS_WASM_HEX } from './partitioners.generated.js';

/** Compiles the embedded module for partitioners. */
export function partitionersModule(): WebAssembly.Module {
  return new WebAssembly.Module(bytesOfHex(PARTITIONERS_WASM_HEX));
}
