import type { Layout } from '../../index.js';
import type { View } from '../decode/inspection.js';

/** What panels show, once ids have been read. */
export interface Shown {
  readonly view: View;
  readonly layout: Layout;
}
