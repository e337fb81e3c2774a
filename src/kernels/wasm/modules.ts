import { demangle } from '@assemblyscript/loader';
import type { CoreKernels } from '../types.js';
import { compiled, wasmInstance } from './instance.js';

/**
 * Kernels of a module that works in the core's memory, and is compiled when they are first used.
 * @param name the name of the module
 * @param wasm the embedded module
 * @param wasmKernels the kernels in WebAssembly
 * @param jsKernels the same in JavaScript, also used if the core runs but no other module may be compiled
 * @returns a function that gives the kernels of a backend
 */
export function moduleKernels<Exports extends Record<string, unknown>, Kernels>(
  name: string,
  wasm: string,
  wasmKernels: (core: Exports) => Kernels,
  jsKernels: Kernels,
): (backend: CoreKernels) => Kernels {
  let started: Kernels | undefined;
  const start = () => {
    let module: WebAssembly.Module;
    try {
      module = compiled(name, wasm);
    } catch {
      return jsKernels;
    }
    const { exports } = new WebAssembly.Instance(module, { env: { memory: wasmInstance().core.memory } });
    return wasmKernels(demangle<Exports>(exports));
  };
  return (backend) => {
    if (backend.name !== 'wasm') return jsKernels;
    started ??= start();
    return started;
  };
}
