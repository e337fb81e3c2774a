import { FORMAT_NAMES } from '../read/problems.js';
import type { ReadFormat } from '../read/wide-kinds.js';

/** Formats of ids as text, to choose from. */
export function formatOptions<F extends ReadFormat>(formats: readonly F[]): [F, string][] {
  return formats.map((format) => [format, FORMAT_NAMES[format]]);
}
