/**
 * Web Streams of lines, records and shards, in browsers and elsewhere.
 * @module shardbits/streams
 */

export type { BytesColumn } from '../columns/keys.js';
export type { LineKeys, RecordFormat } from './format.js';
export { lineStream, type RecordColumns, recordStream, routeStream } from './streams.js';
