// Replaces core-module.ts in Cloudflare's workerd, which compiles modules only before a program runs.
import core from '../core.wasm';

export function coreModule(): WebAssembly.Module {
  return core;
}

export async function compileCore(): Promise<WebAssembly.Module> {
  return core;
}
