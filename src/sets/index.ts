/**
 * Sets of ids in the portable Roaring format.
 * @module shardbits/sets
 */

export { loadSets } from './bitmaps.js';
export { IdSet } from './id-set.js';
