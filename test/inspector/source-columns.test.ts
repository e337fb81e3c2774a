import { describe, expect, it } from 'vitest';
import { toggled, withoutColumn } from '../../src/inspector/decode/filter.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import { countsText } from '../../src/inspector/page/charts/charts-panel.js';

const NOW = Date.UTC(2026, 0);
const START = 1_800_000_000_000_000_000n;

function inspect(text: string) {
  const inspection = new Inspection(new TextEncoder().encode(text), NOW);
  const view = (settings: Partial<Settings> = {}) => {
    const seen = inspection.view({ ...DEFAULTS, layout: { spec: 'discord' }, ...settings });
    expect(seen.filterError).toBeUndefined();
    return seen;
  };
  /** The lines of the rows that are shown. */
  const lines = (settings: Partial<Settings>) => {
    const { shown } = view(settings);
    return inspection.rows(0, shown).map(({ line }) => line);
  };
  return { inspection, view, lines };
}

const idAt = (row: number) => START + (BigInt(row) << 34n);
const csv = (rows: readonly string[], header = 'id,status') =>
  [header, ...rows.map((rest, i) => `${idAt(i)},${rest}`)].join('\n');

const STATUSES = [
  'paid',
  'Draft',
  'paid',
  '"in ""transit"""',
  '',
  'paid',
  ' draft ',
  '"in transit, late"',
  'paid_late',
];

describe('a column of the source', () => {
  it.each([
    ['status=paid', [2, 4, 7]],
    ['status!=paid', [3, 5, 6, 8, 9, 10]],
    ['status=PAI', [2, 4, 7, 10]],
    ['status=draft', [8]],
    ['status=Draft', [3]],
    ['status=DRAFT', [3, 8]],
    ['status="in "', [5, 9]],
    ['status="in transit, late"', [9]],
    ['status=""', [6]],
    ['status=gone', []],
    ['status!=gone', [2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['status>=paid', [2, 4, 7, 10]],
    ['status<in', [3, 8]],
    ['(status=paid or status="") line<5', [2, 4]],
  ])('is filtered by its texts: %s', (filter, lines) => {
    expect(inspect(csv(STATUSES)).lines({ filter })).toEqual(lines);
  });

  it('is sorted by its texts', () => {
    const { lines } = inspect(csv(STATUSES));
    expect(lines({ sort: { column: 'status', descending: false } })).toEqual([6, 3, 8, 5, 9, 2, 4, 7, 10]);
    expect(lines({ sort: { column: 'status', descending: true } })[0]).toBe(10);
  });

  it('may have any name', () => {
    const { view, inspection, lines } = inspect(csv(['a,x', 'b,y'], 'id,order status,Größe'));
    expect(lines({ filter: '"order status"=b' })).toEqual([3]);
    expect(lines({ filter: 'größe=x' })).toEqual([2]);
    expect(view().columns.map(({ key }) => key)).toEqual(expect.arrayContaining(['order status', 'Größe']));
    const { filterError } = inspection.view({ ...DEFAULTS, layout: { spec: 'discord' }, filter: 'state=b' });
    expect(filterError).toMatch(/^there is no column “state”, only line, id, .*, increment, "order status", Größe$/);
  });

  it('is not shown again if it is that of the ids, but is if it says more', () => {
    const keys = (text: string) =>
      inspect(text)
        .view()
        .columns.map(({ key }) => key);
    expect(keys(csv(['a', 'b'], 'tweet_id,status'))).not.toContain('tweet_id');
    expect(keys(JSON.stringify([0, 1].map((i) => ({ id: idAt(i).toString(), a: i }))))).not.toContain('id_');
    expect(keys(csv(['a', 'b'], 'url,status').replace(/^(?=\d)/gm, 'https://x.com/a/status/'))).toContain('url');
  });

  it.each([
    ['amount>10', [2, 5]],
    ['amount>=10', [2, 4, 5]],
    ['amount<10', [3]],
    ['amount<50', [3, 4]],
    ['amount=10', [4]],
    ['amount=10.0', [4]],
    ['amount=1', []],
    ['amount=-2.5', [3]],
  ])('of numbers is filtered by them: %s', (filter, lines) => {
    expect(inspect(csv(['100', '-2.5', '10', '1000', ''], 'id,amount')).lines({ filter })).toEqual(lines);
  });

  it('of numbers is sorted by them, and one that has a word by its texts', () => {
    const sort = { column: 'b', descending: false };
    expect(inspect(csv(['100', '20', '3'], 'id,b')).lines({ sort })).toEqual([4, 3, 2]);
    expect(inspect(csv(['100', '20', 'x'], 'id,b')).lines({ sort })).toEqual([2, 3, 4]);
  });

  it('has unreadable rows, too', () => {
    const text = `${csv(['paid', 'open'])}\nnone,paid`;
    expect(inspect(text).lines({ filter: 'status=paid' })).toEqual([2, 4]);
    expect(inspect(text).lines({ filter: 'status=paid', show: 'bad' })).toEqual([4]);
  });

  it('may be of JSON, with escapes, inside of what each row is', () => {
    const { lines } = inspect(
      JSON.stringify({
        items: [0, 1, 2].map((i) => ({ id: `${idAt(i)}`, user: { state: ['"a" b', 'c\\', 'é'][i] } })),
      })
        .replace('é', '\\u00e9')
        .replaceAll('{"id', '\n{"id'),
    );
    expect(lines({ filter: 'user.state=é' })).toEqual([4]);
    expect(lines({ filter: 'user.state="c\\"' })).toEqual([3]);
    expect(lines({ filter: 'user.state!=x' })).toEqual([2, 3, 4]);
  });

  it('is counted by, the commonest text first, and the first ones have lanes over time', () => {
    const { view } = inspect(csv(Array.from({ length: 400 }, (_, i) => `s${Math.floor(Math.sqrt(i))}`)));
    const { per, names, texts, perValue, lanes, overTime } = view({ per: 'status' });
    expect([per, texts, names?.length, names?.[0]]).toEqual(['status', 20, 20, 's19']);
    expect([...(perValue?.counts ?? [])]).toEqual(Array.from({ length: 20 }, (_, i) => 39 - 2 * i));
    expect(lanes?.map(({ name }) => name)).toEqual([...Array.from({ length: 7 }, (_, i) => `s${19 - i}`), undefined]);
    expect(lanes?.[0]?.counts.reduce((a, b) => a + b)).toBe(39);
    const sums = overTime?.counts.map((_, bar) => lanes?.reduce((sum, { counts }) => sum + counts[bar], 0) ?? 0);
    expect(sums).toEqual(overTime?.counts);
    expect(view({ per: 'status', filter: 'status=s3' }).lanes?.map(({ name }) => name)).toEqual(['s3']);
    expect(view({ per: 'worker' })).toMatchObject({ lanes: undefined, names: undefined });
  });

  it('has a column of the counts that are copied, as all others have together', () => {
    const { view } = inspect(csv(['=1+1', 'a\tb', '', '=1+1', 'c', 'd', 'e', 'f', 'g', 'h', 'i']));
    const rows = (settings: Partial<Settings>) => {
      const { overTime, lanes } = view({ bars: 'day', ...settings });
      return overTime ? countsText(overTime, lanes, 'UTC').split('\n') : [];
    };
    const [header, ...days] = rows({ per: 'status' }).map((line) => line.split('\t'));
    expect(header).toEqual(['date (UTC)', "'=1+1", 'a b', '(empty)', 'c', 'd', 'e', 'f', 'others']);
    const total = days.flatMap((day) => day.slice(1)).reduce((sum, cell) => sum + Number(cell), 0);
    expect(total).toBe(11);
    expect(rows({ per: 'worker' })[0]).toBe('date (UTC)\tids');
  });

  it('has bars for 256 texts, and says how many there are', () => {
    const { view, inspection } = inspect(csv(Array.from({ length: 3000 }, (_, i) => `user ${i % 1000}`)));
    const { names, texts, perValue } = view({ per: 'status' });
    expect([names?.length, texts, perValue?.counts.length]).toEqual([256, 1000, 256]);
    expect(inspection.statistics()).toMatchObject({ per: 'status', values: 1000, top: { length: 8 } });
  });

  it('is named in the statistics', () => {
    const { view, inspection } = inspect(csv(STATUSES));
    view({ per: 'status' });
    expect(inspection.statistics().top[0]).toEqual({ value: 'paid', count: 3 });
  });
});

describe('a condition of a text', () => {
  it('takes the place of others of its column', () => {
    expect(toggled('"order status"="a b" x=1', 'order status', '"order status"=c')).toBe('x=1 "order status"=c');
    expect(withoutColumn('status!="a b" and substatus=1 status=(', 'status')).toBe('and substatus=1 status=(');
    expect(withoutColumn('a.b[]=1 axb[]=2', 'a.b[]')).toBe('axb[]=2');
  });
});
