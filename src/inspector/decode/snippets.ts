import type { Layout, LayoutTime } from '../../index.js';
import { isPreset, type LayoutChoice } from './layout-choice.js';

export const SNIPPETS = {
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
  clickhouse: 'ClickHouse',
  javascript: 'JavaScript',
} as const;

export type SnippetKind = keyof typeof SNIPPETS;

/** What makes a date of Unix milliseconds. */
const DATES = {
  postgres: (ms: string) => `to_timestamp(${ms} / 1000.0)`,
  mysql: (ms: string) => `from_unixtime(${ms} / 1000)`,
  clickhouse: (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}))`,
};

/** A few lines that take ids of a layout apart, to be copied. In SQL they are for a column `id` of a table `ids`. */
export function snippetOf(kind: SnippetKind, choice: LayoutChoice, layout: Layout): string {
  if (kind === 'javascript') return javascriptOf(choice, layout);
  const { time } = layout;
  const fields = Object.entries(layout.toSql('id', kind));
  const columns = fields.map(([name, sql]) => `${sql} as ${quoted(name, kind)}`);
  const dates = fields.flatMap(([name, sql]) => (name === time?.name ? [`${DATES[kind](sql)} as created_at`] : []));
  return `select\n  ${['id', ...dates, ...columns].join(',\n  ')}\nfrom ids`;
}

/** Field names are letters, digits and underscores; those that a database reserves are not asked for. */
function quoted(name: string, kind: SnippetKind): string {
  return kind === 'mysql' ? `\`${name}\`` : `"${name}"`;
}

function javascriptOf({ spec, epoch, unit }: LayoutChoice, { places, time }: Layout): string {
  const isKnown = isPreset(spec) && epoch === undefined && unit === undefined;
  const fields = places.map(({ name, bits, min }) => {
    const more = [...(name === time?.name ? timeOptions(time) : []), ...(min > 0 ? [`min: ${min}`] : [])];
    return `${name}: ${more.length > 0 ? `{ ${[`bits: ${bits}`, ...more].join(', ')} }` : bits}`;
  });
  const layout = isKnown ? `layouts.${spec}` : `defineLayout({ ${fields.join(', ')} })`;
  return [
    `import { ${isKnown ? 'layouts' : 'defineLayout'} } from 'shardbits';`,
    '',
    `const layout = ${layout};`,
    `const { ${places.map(({ name }) => name).join(', ')} } = layout.unpack(id);`,
    ...(time === undefined ? [] : ['const createdAt = layout.dateOf(id);']),
  ].join('\n');
}

function timeOptions({ epoch, unit }: LayoutTime): string[] {
  return [`epoch: ${epoch}`, ...(unit === 'ms' ? [] : [`unit: '${unit}'`])];
}
