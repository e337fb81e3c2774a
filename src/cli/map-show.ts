import type { Command } from 'commander';
import type { ShardMap } from '../map/index.js';
import { MAP, readMap } from './map-file.js';
import { print } from './stdout.js';
import { bar, number } from './summary.js';

export function addShow(map: Command): void {
  map
    .command('show')
    .summary('show what each node of a map holds')
    .description(
      'Show what each node of a map holds: how many shards it is the primary of, how many copies it has in total, and its ' +
        'ideal number of copies, which is its share by weight as far as zones allow.',
    )
    .argument('<map>', MAP)
    .option('--json', 'write one JSON object: version, shards, replicas, nodes, limited')
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits map show map.json\n  shardbits map get --store ids.db | shardbits map show - --json',
    )
    .action(async (where: string, { json }: { json?: boolean }) => {
      const map = await readMap(where);
      await print(json ? asJson(map) : inWords(map));
    });
}

interface NodeRow {
  readonly node: string;
  readonly zone?: string;
  readonly weight: number;
  readonly primaries: number;
  readonly copies: number;
  readonly ideal: number;
}

function rowsOf(map: ShardMap): NodeRow[] {
  return map.balance().map(({ node, primaries, copies, ideal }, i) => {
    const { zone, weight = 1 } = map.nodes[i] ?? {};
    return { node, ...(zone !== undefined && { zone }), weight, primaries, copies, ideal };
  });
}

function asJson(map: ShardMap): string {
  const { version, shards, replicas, limited } = map;
  return `${JSON.stringify({ version, shards, replicas, nodes: rowsOf(map), limited })}\n`;
}

function inWords(map: ShardMap): string {
  const rows = rowsOf(map);
  const most = rows.reduce((largest, { copies }) => Math.max(largest, copies), 0);
  const table = [
    ['node', 'zone', 'weight', 'primaries', 'copies', 'ideal'],
    ...rows.map(({ node, zone = '', weight, primaries, copies, ideal }) => {
      return [node, zone, String(weight), number(primaries), number(copies), oneDecimal(ideal)];
    }),
  ];
  const lines = aligned(table).map((line, i) => {
    const row = rows[i - 1];
    return row === undefined ? line : `${line} ${bar(row.copies, most)}`.trimEnd();
  });
  const { version, shards, replicas } = map;
  const head = [`version   ${version}`, `shards    ${number(shards)}`, `replicas  ${number(replicas)}`];
  return `${[...head, '', ...lines, ...limits(map)].join('\n')}\n`;
}

function oneDecimal(value: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Aligns columns of texts to the left, and columns of numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const [header = []] = rows;
  const widths = header.map((_, i) => rows.reduce((width, row) => Math.max(width, row[i]?.length ?? 0), 0));
  return rows.map((row) => {
    const cells = row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)));
    return cells.join('  ');
  });
}

/** Names the nodes that hold less than their share, and says why. */
function limits(map: ShardMap): string[] {
  const { limited, nodes, replicas } = map;
  if (limited.length === 0) return [];
  // A node without a zone counts as a zone of its own. With fewer zones than copies, zones limit nothing.
  const zones = new Set(nodes.map(({ name, zone }) => JSON.stringify(zone === undefined ? { name } : zone)));
  const isByZone = nodes.some(({ zone }) => zone !== undefined) && zones.size >= replicas;
  const share = limited.length === 1 ? "its weight's share" : "their weights' share";
  const what = isByZone ? 'zone' : 'node';
  return ['', `${limited.join(', ')}: less than ${share}, because no ${what} may hold two copies of a shard`];
}
