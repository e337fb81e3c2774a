// `shardbits/node`
export type { BytesColumn } from '../columns/keys.js';
export type { Lines } from '../lines/line-batches.js';
export type { LineHashOptions, LineKeys } from '../lines/line-hasher.js';
export type { RoutedLines, RowFormat } from '../lines/row-writer.js';
export { lineStream, routeStream } from '../lines/streams.js';
export { type Balance, balanceOf } from '../routing/balance.js';
export { highWaterFile } from './files/high-water-file.js';
export type { Input } from './files/input.js';
export { discardUnfinished } from './files/output.js';
export { planLines } from './files/plan-lines.js';
export {
  type HashedLines,
  hashLines,
  type LineJobOptions,
  type LineReadOptions,
  lineColumns,
  type Progress,
  routeLines,
} from './files/routed-lines.js';
export { type RouteToDirectoryOptions, routeToDirectory } from './files/shard-files.js';
export { type RouteFileOptions, routeFile } from './route-file.js';
export { type PoolKeys, WorkerPool } from './threads/worker-pool.js';
