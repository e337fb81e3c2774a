/**
 * The times in UUIDs, ULIDs, ObjectIds, KSUIDs and xids.
 * @module shardbits/wide-ids
 */

export { type WideIdKind, wideIdKindOf } from './kinds.js';
export { timesOf } from './times.js';
