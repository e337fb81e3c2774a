// `shardbits/node`
export type { LineKeys } from '../lines/line-hasher.js';
export type { RowFormat } from '../lines/row-writer.js';
export type { Input } from './input.js';
export type { LineReadOptions, Progress } from './lines.js';
export { type RouteFileOptions, routeFile } from './route-file.js';
