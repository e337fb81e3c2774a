import { bytesOfHex } from './hex.js';
import { RECORDS_WASM_HEX } from './records.generated.js';

/** The embedded module for records, compiled here and now. */
export function recordsModule(): WebAssembly.Module {
  return new WebAssembly.Module(bytesOfHex(RECORDS_WASM_HEX));
}
