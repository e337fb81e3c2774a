// `shardbits/node`
export type { BytesColumn } from '../columns/keys.js';
export type { Lines, RoutedLines } from '../lines/batch.js';
export type { LineHashOptions, LineKeys } from '../lines/line-hasher.js';
export type { RowFormat } from '../lines/row-writer.js';
export { lineStream, routeStream } from '../lines/streams.js';
export { type Balance, balanceOf } from '../routing/balance.js';
export { type HashedLines, hashLines } from './files/hashed-lines.js';
export { highWaterFile } from './files/high-water-file.js';
export type { Input } from './files/input.js';
export { lineColumns } from './files/line-columns.js';
export type { LineJobOptions, LineReadOptions, Progress } from './files/line-jobs.js';
export { discardUnfinished } from './files/output.js';
export { planLines } from './files/plan-lines.js';
export { routeLines } from './files/routed-lines.js';
export { type RouteToDirectoryOptions, routeToDirectory } from './files/shard-files.js';
export { type RouteFileOptions, routeFile } from './route-file.js';
export { type PoolKeys, WorkerPool } from './threads/worker-pool.js';
