// Replaces partitioners-module.ts in Cloudflare's workerd; see core-module.workerd.ts.
import partitioners from '../partitioners.wasm';

export function partitionersModule(): WebAssembly.Module {
  return partitioners;
}
