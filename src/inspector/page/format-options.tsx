import { FORMATS } from '../decode/settings.js';
import { FORMAT_NAMES } from '../read/problems.js';
import type { ReadFormat } from '../read/wide-kinds.js';

/** The formats of ids as text, to choose from. */
export function FormatOptions({ formats = FORMATS }: { formats?: readonly ReadFormat[] }) {
  return formats.map((format) => (
    <option key={format} value={format}>
      {FORMAT_NAMES[format]}
    </option>
  ));
}
