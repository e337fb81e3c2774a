import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { keysIn } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { words } from './keys.js';
import { folderWith, map, NO_MAPS, next } from './maps.js';

const MAPS = ['plan', '--from-map', 'a.json', '--to-map', 'b.json'];
const keys = keysIn(words).map((key) => Buffer.from(key).toString());

/** The keys that move, counted one by one. */
function flowsOf(from: ShardMap, to: ShardMap, router: Router): { from: string; to: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const shard = router.route(key);
    const flow = JSON.stringify([from.nodesOf(shard)[0], to.nodesOf(shard)[0]]);
    counts.set(flow, (counts.get(flow) ?? 0) + 1);
  }
  const flows = [...counts].map(([flow, count]) => {
    const [left, joined] = JSON.parse(flow) as [string, string];
    return { from: left, to: joined, count };
  });
  const byNames = (a: { from: string; to: string }, b: { from: string; to: string }) =>
    `${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1;
  return flows.filter((flow) => flow.from !== flow.to).sort(byNames);
}

describe('plan --from-map --to-map', () => {
  it('tells which keys move between nodes, as JSON', async () => {
    const cwd = folderWith({ 'a.json': map, 'b.json': next, keys: words });
    const run = await runHere([...MAPS, 'keys', '--json'], { cwd });
    const flows = flowsOf(map, next, new Router({ shards: map.shards }));
    const moved = flows.reduce((sum, { count }) => sum + count, 0);
    const gained = next.balance().map(({ node, primaries }) => {
      return Math.max(0, primaries - (map.balance().find((one) => one.node === node)?.primaries ?? 0));
    });
    const ideal = (20_000 * gained.reduce((sum, count) => sum + count, 0)) / map.shards;
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(JSON.parse(run.stdout.toString())).toEqual({ total: 20_000, moved, ideal, flows });
    expect(moved).toBeGreaterThan(0);
  });

  it('and in words, the largest flows first', async () => {
    const cwd = folderWith({ 'a.json': map, 'b.json': next });
    const by = new Router({ shards: map.shards, strategy: 'modulo', seed: 3n });
    const args = [...MAPS, '--strategy', 'modulo', '--seed', '3'];
    const { code, stdout } = await runHere(args, { cwd, input: [words] });
    const flows = flowsOf(map, next, by).sort((a, b) => b.count - a.count);
    const text = stdout.toString();
    expect([code, text]).toEqual([0, expect.stringMatching(/^keys +20,000\nmoved +[\d,]+ .*\nideal .*\n\nflows\n/)]);
    const listed = [...text.matchAll(/^ +([\d,]+) {2}(db\d) -> (db\d)$/gm)];
    expect(listed.map(([, count, from, to]) => ({ from, to, count: Number(count?.replace(',', '')) }))).toEqual(flows);
  });

  it('of a map to itself is nothing, and so is that of its next version without changes', async () => {
    const cwd = folderWith({ 'a.json': map, 'b.json': map.with({}) });
    const { stdout } = await runHere(MAPS, { cwd, input: ['a\nb\n'] });
    expect(stdout.toString()).toBe('keys   2\nmoved  0 (0.00 %)\nideal  0 (0.00 %)\n');
  });

  it('reads tables, and one of the maps from standard input', async () => {
    const other = ShardMap.create({ shards: map.shards, nodes: [{ name: 'x' }] });
    const cwd = folderWith({ 'a.json': map, 'rows.csv': 'k\na\nb\n' });
    const args = ['plan', 'rows.csv', '--csv', '--key', 'k', '--from-map', 'a.json', '--to-map', '-', '--json'];
    const { code, stdout } = await runHere(args, { cwd, input: [JSON.stringify(other)] });
    expect([code, JSON.parse(stdout.toString())]).toMatchObject([0, { total: 2, moved: 2, ideal: 2 }]);
  });

  it.each([
    [['--from-map', 'a.json'], '--from-map requires --to-map'],
    [['--to-map', 'a.json'], '--to-map requires --from-map or --as'],
    [[...MAPS.slice(1), '--from', '3'], '--from cannot be combined with --from-map and --to-map'],
    [[...MAPS.slice(1), '--to', '3'], '--to cannot be combined with --from-map and --to-map'],
    [[...MAPS.slice(1), '--as', 'kafka'], '--as cannot be combined with --from-map and --to-map'],
    [
      ['--from-map', 'a.json', '--to-map', 'c.json'],
      '--to-map: expected a map of 512 shards, as in --from-map, got one of 8',
    ],
    [
      ['--from-map', '-', '--to-map', 'a.json'],
      'expected only one of FILE and --from-map from standard input, got both as -',
    ],
    [[...MAPS.slice(1), '--out', 'b.json'], '--out: expected another file than the input, got b.json'],
  ])('refuses %j', async (args, problem) => {
    const other = ShardMap.create({ shards: 8, nodes: [{ name: 'a' }] });
    const cwd = folderWith({ 'a.json': map, 'b.json': next, 'c.json': other });
    const run = await runHere(['plan', ...args], { cwd, input: ['a\n'] });
    expect([run.code, run.stdout.length, run.stderr]).toEqual([2, 0, `error: ${problem}\n`]);
  });

  it.each(NO_MAPS)('names the file that is no map: %s', async (_, contents, problem) => {
    const cwd = folderWith({ 'a.json': map, 'b.json': contents });
    const run = await runHere(MAPS, { cwd, input: ['a\n'] });
    expect([run.code, run.stdout.length, run.stderr]).toEqual([1, 0, `error: b.json: ${problem}\n`]);
  });
});
