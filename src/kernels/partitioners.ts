import { jsPartitioners } from './js/partitioners.js';
import { moduleKernels } from './wasm/modules.js';
import { PARTITIONERS_WASM } from './wasm/partitioners.generated.js';
import { wasmPartitioners } from './wasm/partitioners.js';

export const partitionerKernels = /* @__PURE__ */ moduleKernels(
  'partitioners',
  PARTITIONERS_WASM,
  wasmPartitioners,
  jsPartitioners,
);
