import type { Layout } from '../../index.js';
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
export function snippetOf(kind: SnippetKind, { spec, epoch, unit }: LayoutChoice, layout: Layout): string {
  const { fields, time } = layout;
  if (kind === 'javascript') {
    const isKnown = isPreset(spec) && epoch === undefined && unit === undefined;
    const [name, rest] = isKnown ? ['layouts', `.${spec}`] : ['defineLayout', `(${JSON.stringify(fields, null, 2)})`];
    return [
      `import { ${name} } from 'shardbits';`,
      '',
      `const layout = ${name}${rest};`,
      `const { ${Object.keys(fields).join(', ')} } = layout.unpack(id);`,
      ...(time === undefined ? [] : ['const createdAt = layout.dateOf(id);']),
    ].join('\n');
  }
  const values: { readonly [field: string]: string } = layout.toSql('id', kind);
  // Field names are letters, digits and underscores; those that a database reserves are not asked for.
  const quote = kind === 'mysql' ? '`' : '"';
  const columns = Object.entries(values).map(([name, sql]) => `${sql} as ${quote}${name}${quote}`);
  if (time !== undefined) columns.unshift(`${DATES[kind](values[time.name] as string)} as created_at`);
  return `select\n  ${['id', ...columns].join(',\n  ')}\nfrom ids`;
}
