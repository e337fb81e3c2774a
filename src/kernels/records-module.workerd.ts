// In place of records-module.ts in Cloudflare's workerd, as core-module.workerd.ts is.
import records from '../records.wasm';

export function recordsModule(): WebAssembly.Module {
  return records;
}
