import { afterAll, beforeAll, describe } from 'vitest';
import { setBackend } from '../../src/index.js';
import { bigint, type Kernels, wasm } from '../../src/kernels/index.js';
import './equality.js';

/** Runs a suite once on each backend, chosen for the public functions and given as kernels. */
export function onBothBackends(name: string, suite: (kernels: Kernels) => void): void {
  describe.each(
    [wasm, bigint].map((kernels) => [kernels.name, kernels] as const),
  )(`${name} [%s]`, (backend, kernels) => {
    beforeAll(() => setBackend(backend));
    afterAll(() => setBackend('auto'));
    suite(kernels);
  });
}
