import { jsLines, jsRecords } from './js/records.js';
import type { LineKernels } from './record-types.js';
import type { CoreKernels } from './types.js';
import { moduleKernels } from './wasm/modules.js';
import { RECORDS_WASM } from './wasm/records.generated.js';
import { wasmLines, wasmRecords } from './wasm/records.js';

export const recordKernels = /* @__PURE__ */ moduleKernels('records', RECORDS_WASM, wasmRecords, jsRecords);

export function lineKernels({ name }: CoreKernels): LineKernels {
  return name === 'wasm' ? wasmLines : jsLines;
}
