/**
 * The times in UUIDs, ULIDs, ObjectIds, KSUIDs and xids, and the smallest and the largest id of a time.
 * @module shardbits/wide-ids
 */

export { maxObjectIdAt, maxUlidAt, maxUuidAt, minObjectIdAt, minUlidAt, minUuidAt } from './bounds.js';
export { timesOf, type WideIdKind, wideIdKindOf } from './times.js';
