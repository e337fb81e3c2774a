import { Table, tableFromIPC, tableToIPC, vectorFromArray } from 'apache-arrow';
import { Router } from 'shardbits';
import { routeVector } from 'shardbits/arrow';
import { partitioner } from 'shardbits/partitioners';
import { IdSet, loadSets } from 'shardbits/sets';
import { BAD, CANONICAL } from '../../vectors/roaring64.js';
import type { Checks } from './checks.js';

/** What needs optional peers. */
export async function peers(checks: Checks): Promise<void> {
  const shards = routeVector(new Router({ shards: 1024 }), vectorFromArray(['user:42', 'user:43']));
  const table = tableFromIPC(tableToIPC(new Table({ shards })));
  checks.same('a vector, routed', table.getChild('shards')?.toArray(), Uint32Array.of(717, 360));
  const slots = routeVector(partitioner('redis'), vectorFromArray(['foo', '123456789']));
  checks.same('a vector, in the slots of Redis', slots.toArray(), Uint32Array.of(12182, 12739));

  await loadSets();
  for (const { name, ids, bytes } of CANONICAL) {
    checks.same(`a set: ${name}`, IdSet.from(BigUint64Array.from(ids)).serialize(), bytes);
    checks.same(`a set, read: ${name}`, [...IdSet.deserialize(bytes)], ids);
  }
  for (const [name, bytes] of BAD) {
    await checks.fails(`a bad set: ${name}`, () => IdSet.deserialize(Uint8Array.from(bytes)), RangeError);
  }
}
