import { files } from './areas/files.js';
import { hashing } from './areas/hashing.js';
import { bitFields } from './areas/layouts.js';
import { routing } from './areas/routing.js';
import { singleValues } from './areas/single-values.js';
import { stringHashing, stringRouting } from './areas/strings.js';
import { decimalText } from './areas/text.js';
import type { Group } from './run.js';

/** All areas of `npm run bench`. */
export const GROUPS: readonly Group[] = [
  routing,
  hashing,
  stringHashing,
  stringRouting,
  bitFields,
  decimalText,
  singleValues,
  files,
];
