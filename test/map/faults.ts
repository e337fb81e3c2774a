import { ShardMap } from '../../src/map/index.js';
import { canChoosePrimaries } from './exact-flow.js';
import { copiesAZone, placementOf, sumOf, zoneOf, zonesOf } from './reading.js';

const NEARLY = 1e-6;

/**
 * What a map says of itself that is not as promised, in words. All of it is read by the public methods.
 *
 * After a change, few places of copies (one map of many thousands) leave no choice of primaries in which no node is more
 * than 1 away from its share: a node that holds copies above its share of the primaries has no other node to give them to.
 * Those are no faults, if the oracle says so and no node is 2 away.
 */
export function faultsOf(map: ShardMap): string[] {
  return [...ofPlaces(map), ...ofCounts(map), ...ofIdeals(map), ...ofViews(map), ...ofJson(map), ...ofFreezing(map)];
}

/** What is wrong, if it is. */
function unless(isRight: boolean, fault: string): string[] {
  return isRight ? [] : [fault];
}

function ofPlaces(map: ShardMap): string[] {
  const zones = new Map(map.nodes.map((node) => [node.name, zoneOf(node)]));
  const most = copiesAZone(map);
  const isCrowded = zonesOf(map).size >= map.replicas && most > 1;
  return [
    ...unless(!isCrowded, 'there are as many zones as copies, but the share of one takes more than one copy'),
    ...placementOf(map).flatMap((names, shard) => {
      const inZone = new Map<string, number>();
      for (const name of names) {
        const zone = zones.get(name) ?? `no zone, as there is no ${name}`;
        inZone.set(zone, (inZone.get(zone) ?? 0) + 1);
      }
      return [
        ...unless(names.length === map.replicas, `shard ${shard} has ${names.length} copies`),
        ...unless(new Set(names).size === names.length, `shard ${shard} is on a node twice: ${names}`),
        ...unless(Math.max(...inZone.values()) <= most, `shard ${shard} is in a zone too often: ${names}`),
      ];
    }),
  ];
}

function ofCounts(map: ShardMap): string[] {
  const weight = sumOf(map.nodes.map((node) => node.weight));
  const shares = map.nodes.map((node) => (map.shards * node.weight) / weight);
  const isFar = map.balance().some(({ primaries }, i) => Math.abs(primaries - shares[i]) > 1 + NEARLY);
  const most = isFar && map.version > 1 && !canBeNear(map, shares) ? 2 : 1;
  return map.balance().flatMap(({ node, copies, ideal, primaries }, i) => {
    const share = shares[i];
    return [
      ...unless(Math.abs(copies - ideal) < 1, `${node} has ${copies} copies, ideal are ${ideal}`),
      ...unless(
        Math.abs(primaries - share) <= most + NEARLY,
        `${node} has ${primaries} primaries, its share is ${share}`,
      ),
    ];
  });
}

/** Whether each shard could have a primary so that no node is more than 1 away from its share. */
function canBeNear(map: ShardMap, shares: readonly number[]): boolean {
  const indexes = new Map(map.nodes.map(({ name }, index) => [name, index]));
  return canChoosePrimaries(
    placementOf(map).map((names) => names.map((name) => indexes.get(name) as number)),
    shares.map((share) => [Math.max(0, Math.ceil(share - 1 - NEARLY)), Math.floor(share + 1 + NEARLY)]),
  );
}

/**
 * Ideals are the weights' shares, but for what cannot be: nodes of zones that have room have as much for a unit of weight
 * as all others that have room, and those of a full zone have no more than that, and share the zone by their weights.
 */
function ofIdeals(map: ShardMap): string[] {
  const { shards, replicas, nodes, limited } = map;
  const total = shards * replicas;
  const weight = sumOf(nodes.map((node) => node.weight));
  const ideals = map.balance().map(({ ideal }) => ideal);
  const isNear = (a: number, b: number) => Math.abs(a - b) < 2 * NEARLY;
  const below = nodes.filter((node, i) => ideals[i] < (total * node.weight) / weight - 2 * NEARLY);
  const faults = [
    ...unless(isNear(sumOf(ideals), total), `ideals come to ${sumOf(ideals)}`),
    ...unless(Math.max(...ideals) <= shards, 'an ideal is above the number of shards'),
    ...unless(below.map(({ name }) => name).join() === limited.join(), `limited are ${below.map(({ name }) => name)}`),
    ...nodes.flatMap(({ name, weight: own }, i) =>
      unless(limited.length > 0 || isNear(ideals[i], (total * own) / weight), `${name} is not limited`),
    ),
  ];
  const zones = [...zonesOf(map).values()];
  if (zones.length < replicas) return faults;
  const groups = zones.map((members) => ({
    members,
    sum: sumOf(members.map(({ ideal }) => ideal)),
    weight: sumOf(members.map(({ node }) => node.weight)),
  }));
  const open = groups.filter(({ sum }) => !isNear(sum, shards));
  const openWeight = sumOf(open.map((group) => group.weight));
  const rest = total - (groups.length - open.length) * shards;
  for (const { members, sum, weight: own } of groups) {
    const isFull = isNear(sum, shards);
    const name = zoneOf(members[0].node);
    if (isFull && open.length > 0) {
      // What ideals are rounded by counts for as much more as this zone weighs more than those that have room.
      const most = ((rest + groups.length * NEARLY) * own) / openWeight;
      faults.push(...unless(sum <= most + NEARLY, `${name} is full, but has too large a share`));
    }
    for (const { node, ideal } of members) {
      const share = isFull ? (shards * node.weight) / own : (rest * node.weight) / openWeight;
      faults.push(...unless(isNear(ideal, share), `${node.name} has the ideal ${ideal}, its share is ${share}`));
    }
  }
  return faults;
}

/** nodesOf, shardsOf, nodeColumn, balance and toJSON say the same. */
function ofViews(map: ShardMap): string[] {
  const { shards, replicas, nodes, version, parent } = map;
  const placement = placementOf(map);
  const columns = Array.from({ length: replicas }, (_, copy) => placement.map((names) => names[copy]));
  const json = map.toJSON();
  const named = (column: Iterable<number>) => Array.from(column, (node) => nodes[node]?.name).join();
  const all = Uint32Array.from({ length: shards }, (_, shard) => shard);
  const isAlike =
    JSON.stringify({ ...json, copies: 0 }) === JSON.stringify({ version, parent, shards, replicas, nodes, copies: 0 });
  const balance = map.balance();
  return [
    ...unless(isAlike, 'toJSON has another version, parent, number of shards or copies, or nodes'),
    ...unless(json.copies.length === replicas, `toJSON has ${json.copies.length} copies`),
    ...columns.flatMap((column, copy) => [
      ...unless(named(map.nodeColumn(all, { copy })) === column.join(), `nodeColumn has another copy ${copy}`),
      ...unless(named(json.copies[copy] ?? []) === column.join(), `toJSON has another copy ${copy}`),
    ]),
    ...unless(named(map.nodeColumn(all)) === columns[0]?.join(), 'nodeColumn has other primaries'),
    ...unless(
      balance.map(({ node }) => node).join() === nodes.map(({ name }) => name).join(),
      'balance has other nodes',
    ),
    ...balance.flatMap(({ node, copies, primaries }) => {
      const held = [...all].filter((shard) => placement[shard]?.includes(node));
      const own = placement.filter(([primary]) => primary === node).length;
      return [
        ...unless(map.shardsOf(node).join() === held.join(), `shardsOf has other shards of ${node}`),
        ...unless(copies === held.length, `balance has ${copies} copies of ${node}`),
        ...unless(primaries === own, `balance has ${primaries} primaries of ${node}`),
      ];
    }),
  ];
}

function ofJson(map: ShardMap): string[] {
  const text = JSON.stringify(map);
  return [text, JSON.parse(text), map.toJSON()].flatMap((json) => {
    const back = ShardMap.from(json);
    return [
      ...unless(JSON.stringify(back) === text, 'JSON gives another map'),
      ...unless(back.digest === map.digest, 'JSON gives another digest'),
      ...unless(JSON.stringify(back.balance()) === JSON.stringify(map.balance()), 'JSON gives another balance'),
      ...unless(back.limited.join() === map.limited.join(), 'JSON gives other limited nodes'),
    ];
  });
}

function ofFreezing(map: ShardMap): string[] {
  const parts = [map, map.nodes, map.limited, ...map.nodes];
  return unless(parts.every(Object.isFrozen), 'a part is not frozen');
}
