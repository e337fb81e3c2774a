// What a consumer's compiler has to accept, with neither the DOM's types nor Node's.
import {
  type Layout,
  layouts,
  loadBackend,
  parseLayout,
  planReshard,
  Router,
  type Routing,
  setBackend,
  xxh64Many,
} from 'shardbits';
import { type Candidate, detectRouting } from 'shardbits/detect';
import { type Kernels, wasm } from 'shardbits/kernels';
import { type Partitioner, partitioner, partitionerFrom } from 'shardbits/partitioners';
import { IdSet, loadSets } from 'shardbits/sets';
import { maxObjectIdAt, minUuidAt, timesOf, type WideIdKind, wideIdKindOf } from 'shardbits/wide-ids';

export const router = new Router({ shards: 3 });
export const shards: Uint32Array = router.routeMany(['a'], { out: new Uint32Array(1) });
export const hashes: BigUint64Array = xxh64Many({ data: new Uint8Array(1), offsets: Uint32Array.of(0, 1) });
export const sequence: number | bigint = layouts.snowflake.unpack(3n).sequence;
export const columns = layouts.twitter.unpackMany(hashes, { fields: ['worker'], out: { worker: new Uint8Array(1) } });
export const worker = columns.worker;
export const shardSql: string = layouts.twitter.toSql('id').worker;
// @ts-expect-error a misspelt field
export const wrong = layouts.snowflake.pack({ timestamp: 1, shrd: 2, sequence: 3 });
export const layout: Layout = parseLayout('a:1');
export const kernels: Kernels = wasm;
export const moved: number = planReshard(['a'], router, router.with({ shards: 4 })).moved;
export const kafka = partitioner('kafka', { partitions: 12, key: 'int64' });
export const tokens: Int32Array = kafka.tokens(new BigInt64Array(1));
export const routing: Routing = kafka;
export const partition: number = kafka.route(5n);
// @ts-expect-error its keys are integers
kafka.route('a');
export const again: Partitioner = partitionerFrom(kafka.toJSON());
export const replaced: number = planReshard(new Int32Array(1), router, again).moved;
// @ts-expect-error Kafka has partitions
partitioner('kafka', { shards: 12 });
export const functions = [setBackend, loadBackend, loadSets] as const;
export const set: IdSet = IdSet.from(hashes)
  .or(IdSet.deserialize(new Uint8Array(8)))
  .add(5n);
export const ids: readonly bigint[] = [...set];
export const column: BigUint64Array = set.toColumn();
export const bytes: Uint8Array = set.serialize();
export const dispose: () => void = set[Symbol.dispose];
// @ts-expect-error an id is a bigint
set.has(5);
export const verdict: Candidate | undefined = detectRouting(['a'], [0], { shards: 2 }).verdict;
export const options: string | undefined = verdict?.options;
// @ts-expect-error a misspelt option
detectRouting(['a'], [0], { shard: 2 });
export const kind: WideIdKind | undefined = wideIdKindOf('507f1f77bcf86cd799439011');
export const times: Float64Array = timesOf(['a'], kind ?? 'uuid', { out: new Float64Array(1) });
export const more: Float64Array = timesOf({ data: bytes, offsets: new Uint32Array(1) }, 'xid', undefined);
// @ts-expect-error there is no such kind
timesOf(['a'], 'ObjectId');
// @ts-expect-error ids of 64 bits have layouts
timesOf(column, 'uuid');
export const bounds: readonly string[] = [minUuidAt(new Date(0)), maxObjectIdAt(0)];
// @ts-expect-error a text is not a date
minUuidAt('2024-03-01');
