import { FORMATS } from '../decode/settings.js';
import { FORMAT_NAMES } from '../read/problems.js';

/** The formats of ids as text, to choose from. */
export function FormatOptions() {
  return FORMATS.map((format) => (
    <option key={format} value={format}>
      {FORMAT_NAMES[format]}
    </option>
  ));
}
