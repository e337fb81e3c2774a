// `shardbits/streams`: Web Streams, also in the browser.
export type { BytesColumn } from '../columns/keys.js';
export type { LineKeys } from './line-hasher.js';
export { lineStream, routeStream } from './streams.js';
