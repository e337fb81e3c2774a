// In place of partitioners-module.ts in Cloudflare's workerd, as core-module.workerd.ts is.
import partitioners from '../partitioners.wasm';

export function partitionersModule(): WebAssembly.Module {
  return partitioners;
}
