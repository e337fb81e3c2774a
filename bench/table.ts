import type { MeasuredArea } from './rounds.js';

export const COLUMNS = ['', 'ns a row', 'min to max', 'M rows/s', 'GB/s', 'times shardbits'];

/** A line for each way. */
export function tableRows(area: MeasuredArea): string[][] {
  return area.ways.map((way) => {
    const notes = [
      ...(way.rows === area.rows ? [] : [`${way.rows.toLocaleString('en')} rows`]),
      ...(way.peakMB === undefined ? [] : [`${way.peakMB.toFixed(0)} MB`]),
    ];
    const name = notes.length === 0 ? way.name : `${way.name} (${notes.join(', ')})`;
    if ('differs' in way) return [name, way.differs];
    const { median, min, max } = way.ns;
    const spread = `${min.toFixed(2)} to ${max.toFixed(2)}`;
    const times = way === area.ways[0] ? '' : way.timesShardbits.toFixed(2);
    return [name, median.toFixed(2), spread, (1000 / median).toFixed(1), (area.bytesPerRow / median).toFixed(2), times];
  });
}

/** For a terminal. */
export function plainTable(area: MeasuredArea): string {
  const lines = [COLUMNS, ...tableRows(area)].map(([name = '', ...cells]) =>
    [name.padEnd(32), ...cells.map((cell, i) => cell.padStart([12, 22, 11, 9, 17][i] ?? 0))].join(''),
  );
  return [`${area.title}; ${area.rows.toLocaleString('en')} rows`, ...lines, ''].join('\n');
}

/** For a page: names on the left, figures on the right. */
export function markdownRows(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${header.map((_, i) => cells[i] ?? '').join(' | ')} |`;
  const rule = `| --- |${' ---: |'.repeat(header.length - 1)}`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}
