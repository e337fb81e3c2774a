/**
 * Web Streams of lines, records and shards, in browsers and elsewhere.
 * @module shardbits/streams
 */

export type { BytesColumn } from '../columns/keys.js';
export type { LineKeys } from './line-hasher.js';
export type { Rows } from './rows.js';
export { lineStream, type RecordColumns, recordStream, routeStream } from './streams.js';
