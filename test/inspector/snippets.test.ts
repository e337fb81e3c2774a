import { describe, expect, it } from 'vitest';
import { defineLayout, type Layout, layouts } from '../../src/index.js';
import { type LayoutChoice, layoutOf, snippetOf } from '../../src/inspector/decode/layout-choice.js';

const ID = 937847820382261308n;

/** What a snippet in JavaScript gives. */
function run(choice: LayoutChoice): { [name: string]: unknown } {
  const layout = layoutOf(choice);
  const code = snippetOf('javascript', choice, layout);
  const [first, ...lines] = code.split('\n');
  expect(first).toMatch(/^import \{ (layouts|defineLayout) \} from 'shardbits';$/);
  const names = [...layout.places.map(({ name }) => name), ...(layout.time ? ['createdAt'] : [])];
  const body = `${lines.join('\n')}\nreturn { ${names.join(', ')} };`;
  return new Function('layouts', 'defineLayout', 'id', body)(layouts, defineLayout, ID);
}

const expected = (layout: Layout) => ({
  ...layout.unpack(ID),
  ...(layout.time && { createdAt: layout.dateOf(ID) }),
});

describe('a snippet', () => {
  it.each<LayoutChoice>([
    { spec: 'discord' },
    { spec: 'sonyflake' },
    { spec: 'pinterest' },
    { spec: 'timestamp:41,shard:10,sequence:12', epoch: 5 },
    { spec: 'twitter', unit: 's' },
    { spec: 'a:3,b:61' },
  ])('in JavaScript gives the fields and the date: %j', (choice) => {
    expect(run(choice)).toEqual(expected(layoutOf(choice)));
  });

  it('in SQL has the expressions of the layout, and a date', () => {
    expect(snippetOf('postgres', { spec: 'discord' }, layouts.discord)).toBe(
      [
        'select',
        '  id,',
        `  to_timestamp(${layouts.discord.toSql('id').timestamp} / 1000.0) as created_at,`,
        `  ${layouts.discord.toSql('id').timestamp} as "timestamp",`,
        `  ${layouts.discord.toSql('id').worker} as "worker",`,
        `  ${layouts.discord.toSql('id').process} as "process",`,
        `  ${layouts.discord.toSql('id').increment} as "increment"`,
        'from ids',
      ].join('\n'),
    );
    const clickhouse = snippetOf('clickhouse', { spec: 'pinterest' }, layouts.pinterest);
    expect(clickhouse).toBe(
      `select\n  id,\n  ${Object.entries(layouts.pinterest.toSql('id', 'clickhouse'))
        .map(([name, sql]) => `${sql} as "${name}"`)
        .join(',\n  ')}\nfrom ids`,
    );
    expect(snippetOf('mysql', { spec: 'twitter' }, layouts.twitter)).toContain(
      `from_unixtime(${layouts.twitter.toSql('id', 'mysql').timestamp} / 1000) as created_at`,
    );
  });
});
