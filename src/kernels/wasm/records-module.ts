import { bytesOfHex } from '../hex.js';
import { RECORDS_WASM_HEX } from './records.generated.js';

/** Compiles the embedded module for records. */
export function recordsModule(): WebAssembly.Module {
  return new WebAssembly.Module(bytesOfHex(RECORDS_WASM_HEX));
}
