import { TEXT_FORMATS } from '../kernels/contract.js';
import { digitTable, numberAt } from './digits.js';

const HEX = /* @__PURE__ */ digitTable(TEXT_FORMATS.hex.alphabet, true);

/** The number that some hexadecimal digits of either case are, or NaN. */
export function hexAt(data: Uint8Array, at: number, count: number): number {
  return numberAt(data, at, count, HEX, 16);
}
