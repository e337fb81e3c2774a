import { TEXT_FORMATS } from '../kernels/contract.js';
import { digitTable, numberAt } from './digits.js';

const HEX = /* @__PURE__ */ digitTable(TEXT_FORMATS.hex.alphabet, true);

/** Reads hexadecimal digits in upper or lower case as a number; NaN if one of them is not a digit. */
export function hexAt(data: Uint8Array, at: number, count: number): number {
  return numberAt(data, at, count, HEX, 16);
}
