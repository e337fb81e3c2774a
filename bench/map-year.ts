// `npx tsx bench/map-year.ts` draws docs/pictures/map-year.svg: the copies that were made in each week of a simulated year of a
// cluster, the fewest that were possible, and the number of nodes. It needs `npm install --prefix bench/peers`.
import { writeFileSync } from 'node:fs';
import { simulateYear } from '../test/map/year.js';
import { draw } from './peers/draw.js';

const rows = simulateYear({ shards: 4096 });
const weeks = [...new Set(rows.map(({ week }) => week))].map((week) => {
  const changes = rows.filter((row) => row.week === week);
  const sum = (what: 'made' | 'fewest') => changes.reduce((total, row) => total + row[what], 0);
  return { week, nodes: changes.at(-1)?.nodes, made: sum('made'), fewest: sum('fewest') };
});
const [made, fewest] = [rows.reduce((sum, row) => sum + row.made, 0), rows.reduce((sum, row) => sum + row.fewest, 0)];
const worst = Math.max(...rows.map((row) => row.worst));
console.log({ changes: rows.length, made, fewest, ratio: made / fewest, worst });

const week = { field: 'week', type: 'quantitative', scale: { domainMin: 0, domainMax: 53 } } as const;
const copies = (field: 'made' | 'fewest') => ({ field, type: 'quantitative', title: 'copies a week' }) as const;
const svg = await draw({
  background: 'white',
  padding: 16,
  title: {
    text: `${rows.length} changes in a year: ${made.toLocaleString('en')} copies made, ${fewest.toLocaleString('en')} needed at least`,
    subtitle: `4,096 shards, 3 copies, 3 zones; no node was ever further than ${worst.toFixed(3)} copies from its share`,
    anchor: 'start',
    fontSize: 14,
    subtitleFontSize: 11,
    subtitleColor: '#52606d',
    offset: 12,
  },
  data: { values: weeks },
  vconcat: [
    {
      width: 640,
      height: 180,
      layer: [
        {
          mark: { type: 'bar', color: '#9fd3b9', width: 9 },
          encoding: { x: { ...week, title: null }, y: copies('made') },
        },
        {
          mark: { type: 'tick', orient: 'horizontal', color: '#0b6e4f', thickness: 2, width: 11 },
          encoding: { x: { ...week, title: null }, y: copies('fewest') },
        },
      ],
    },
    {
      width: 640,
      height: 80,
      mark: { type: 'line', color: '#52606d', interpolate: 'step-after' },
      encoding: { x: week, y: { field: 'nodes', type: 'quantitative', title: 'nodes' } },
    },
  ],
  config: { font: 'Helvetica, Arial, sans-serif', view: { stroke: null } },
});
writeFileSync('docs/pictures/map-year.svg', svg);
