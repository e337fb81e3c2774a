// `shardbits/sets`
export { loadSets } from './bitmaps.js';
export { IdSet } from './id-set.js';
