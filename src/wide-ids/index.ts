/**
 * The times in UUIDs, ULIDs, ObjectIds, KSUIDs and xids.
 * @module shardbits/wide-ids
 */

export { timesOf, type WideIdKind, wideIdKindOf } from './times.js';
