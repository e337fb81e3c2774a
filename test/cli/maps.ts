import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShardMap } from '../../src/map/index.js';
import { temporaryFolder } from '../support/cli.js';

/** Three nodes in two zones. */
export const map = ShardMap.create({
  shards: 512,
  nodes: [
    { name: 'db1', weight: 2, zone: 'eu' },
    { name: 'db2', zone: 'eu' },
    { name: 'db3', zone: 'us' },
  ],
  replicas: 2,
});

/** The same with a node more. */
export const next = map.with({ nodes: [...map.nodes, { name: 'db4', zone: 'us' }] });

/** A folder with files, maps among them. */
export function folderWith(files: Readonly<Record<string, ShardMap | string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, given] of Object.entries(files)) {
    const isBytes = typeof given === 'string' || given instanceof Uint8Array;
    writeFileSync(join(folder, name), isBytes ? given : `${JSON.stringify(given)}\n`);
  }
  return folder;
}

/** Files that are no maps, with what is said of each behind its name. */
export const NO_MAPS: readonly (readonly [what: string, contents: string, problem: string])[] = [
  ['nothing', '', 'expected the JSON of a shard map, got nothing'],
  [
    'a file that is cut short',
    JSON.stringify(map).slice(0, 900),
    'expected the JSON of a shard map, got JSON that is damaged or cut short',
  ],
  ['text', 'hello\n', 'expected the JSON of a shard map, got "hello\\n"'],
  ['a list', '[1]', 'this is no shard map: expected an object, got [1]'],
  [
    'another object',
    '{"a":1}',
    'this is no shard map: expected only version, shards, replicas, nodes, copies, parent, got "a"',
  ],
  [
    'a map with shards missing',
    JSON.stringify({ ...map.toJSON(), copies: [[1], [2]] }),
    'this is no shard map: copies[0]: expected a node for each of 512 shards, got 1',
  ],
  [
    'a map with a node that it does not have',
    JSON.stringify({ ...map.toJSON(), copies: map.toJSON().copies.map((copy) => [9, ...copy.slice(1)]) }),
    'this is no shard map: copies[0][0]: expected the index of a node, 0 to 2, got 9',
  ],
];
