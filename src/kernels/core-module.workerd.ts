// In place of core-module.ts in Cloudflare's workerd, which compiles modules before a program runs and none after.
import core from '../core.wasm';

export function coreModule(): WebAssembly.Module {
  return core;
}

export async function compileCore(): Promise<WebAssembly.Module> {
  return core;
}
