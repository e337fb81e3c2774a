import { draw } from './peers/draw.js';
import type { MeasuredArea } from './rounds.js';

const OURS = '#0b6e4f';
const OTHERS = '#9aa5b1';

/** Bars of nanoseconds a row, as SVG. */
export function chart(area: MeasuredArea, subtitle: string): Promise<string> {
  const values = area.ways.flatMap((way, i) =>
    'ns' in way ? [{ way: i === 0 ? 'shardbits' : way.name, ns: way.ns.median, ours: i === 0 }] : [],
  );
  const times = values.map(({ ns }) => ns);
  const isWide = Math.max(...times) > 20 * Math.min(...times);
  return draw({
    background: 'white',
    padding: 16,
    width: 560,
    height: { step: 26 },
    title: {
      text: area.title,
      subtitle,
      anchor: 'start',
      fontSize: 14,
      subtitleFontSize: 10,
      subtitleColor: '#52606d',
      offset: 12,
    },
    data: { values },
    encoding: {
      y: {
        field: 'way',
        type: 'nominal',
        sort: null,
        axis: { title: null, labelLimit: 260, labelFontSize: 12, ticks: false, domain: false },
      },
      x: {
        field: 'ns',
        type: 'quantitative',
        scale: isWide
          ? { type: 'log', domainMin: Math.min(...times) / 2, domainMax: Math.max(...times) * 2 }
          : { domainMin: 0, domainMax: Math.max(...times) * 1.12 },
        axis: { title: `nanoseconds a row${isWide ? ' (logarithmic)' : ''}, less is better`, grid: true, tickCount: 6 },
      },
    },
    layer: [
      {
        mark: { type: 'bar', height: 16 },
        encoding: {
          color: { condition: { test: 'datum.ours', value: OURS }, value: OTHERS },
          ...(isWide ? { x2: { datum: Math.min(...times) / 2 } } : {}),
        },
      },
      {
        mark: { type: 'text', align: 'left', dx: 5, fontSize: 11 },
        encoding: { text: { field: 'ns', type: 'quantitative', format: '.3~s' } },
      },
    ],
    config: { font: 'Helvetica, Arial, sans-serif', view: { stroke: null } },
  });
}
