// Replaces records-module.ts in Cloudflare's workerd; see core-module.workerd.ts.
import records from '../records.wasm';

export function recordsModule(): WebAssembly.Module {
  return records;
}
