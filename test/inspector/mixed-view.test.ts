import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';

const NOW = Date.UTC(2026, 10, 23);
const TWEET = '1541815603606036480'; // 2022-06-28T16:07:40.105Z
const GUILD = '286435872092454913'; // 2017-03-01T09:53:53.628Z on Discord
const USER = '175928847299117063'; // 2016-04-30T11:18:25.796Z on Discord
const PIN = '858146903966145189';
const UUID = '01907370-e495-7000-8f3e-1a2b3c4d5e6f'; // 2024-07-02T12:34:56.789Z
const FOUR = '919108f7-52d1-4320-9bac-f847db4148a8';

interface NamedText {
  readonly name: string;
  readonly text: string;
}

function inspect(input: string | readonly NamedText[], settings: Partial<Settings> = {}) {
  const files = typeof input === 'string' ? [{ name: '', text: input }] : input;
  const texts = files.map(({ name, text }) => {
    const data = new TextEncoder().encode(text);
    return { name, bytes: data.length, data };
  });
  const inspection = new Inspection(texts, NOW);
  const view = inspection.view({ ...DEFAULTS, ...settings });
  const at = (key: string) => view.columns.findIndex((column) => column.key === key);
  const rows = inspection.rows(0, view.shown);
  return {
    inspection,
    view,
    rows,
    /** The cells of a column. */
    column: (key: string) => rows.map(({ cells }) => cells[at(key)]),
    groups: view.groups.map(({ title, rows }) => `${rows} ${title}`),
  };
}

const LOG = [
  `2022-06-28T16:07:41Z https://x.com/a/status/${TWEET}`,
  `2017-03-01T09:54:03Z <#${GUILD}> and ${UUID}`,
  'nothing',
  `trace ${FOUR} of https://www.pinterest.com/pin/${PIN}`,
].join('\n');

const APART = ((Date.parse('2024-07-02T12:34:56.789Z') - Date.parse('2017-03-01T09:54:03Z')) / 1000).toFixed(3);

describe('ids of several kinds', () => {
  it('each have their own kind, layout, format and date, in the order of the text', () => {
    const { view, rows, column, groups } = inspect(LOG);
    expect(view).toMatchObject({ isMixed: true, group: undefined, rows: 6, bad: 1, misfits: 2, kind: 'text' });
    expect(view.columns.map(({ key }) => key)).toEqual(['line', 'id', 'kind', 'date', 'apart', 'text']);
    expect(column('line')).toEqual(['1:45', '2:24', '2:48', '3:1', '4:7', '4:77']);
    expect(column('id')).toEqual([TWEET, GUILD, UUID, 'nothing', FOUR, PIN]);
    expect(rows.map(({ kind, layout, format }) => [kind, layout?.spec, format])).toEqual([
      ['Twitter', 'twitter', 'dec'],
      ['Discord channel', 'discord', 'dec'],
      ['UUID', expect.stringMatching(/^timestamp:/), 'uuid'],
      [undefined, undefined, expect.any(String)],
      ['UUID', expect.stringMatching(/^timestamp:/), 'uuid'],
      ['Pinterest', 'pinterest', 'dec'],
    ]);
    expect(column('kind')).toEqual(['Twitter', 'Discord channel', 'UUID', '', 'UUID', 'Pinterest']);
    expect(column('date')).toEqual([
      ...['2022-06-28T16:07:40.105Z', '2017-03-01T09:53:53.628Z', '2024-07-02T12:34:56.789Z', '', '', ''],
    ]);
    expect(groups).toEqual(['1 Twitter', '1 Discord channel', '2 UUID', '1 Pinterest']);
    expect([0, 1, 5].map((row) => rows[row].id)).toEqual([TWEET, GUILD, PIN].map(BigInt));
  });

  it('have a date and a certainty each', () => {
    expect(inspect(LOG).view.groups).toEqual([
      { title: 'Twitter', rows: 1, certainty: 'fact', date: Date.parse('2022-06-28T16:07:40.105Z') },
      { title: 'Discord channel', rows: 1, certainty: 'fact', date: Date.parse('2017-03-01T09:53:53.628Z') },
      { title: 'UUID', rows: 2, certainty: 'fact', date: undefined },
      { title: 'Pinterest', rows: 1, certainty: 'fact', date: undefined },
    ]);
  });

  it('say why they have no date', () => {
    expect(inspect(LOG).rows.map(({ problem }) => problem)).toEqual([
      ...['', '', '', 'no id found in this line'],
      ...['UUID of version 4: it has no time in it', 'has no date in it'],
    ]);
  });

  it('are not said to have no date if it is not known what they are', () => {
    const text = `${UUID}\n01HSCJS8H3VT3NSDQ98G0EZGZR\n1768829249215766528`;
    const unknown = 'it is not known when it was made';
    expect(inspect(text).rows.map(({ problem }) => problem)).toEqual(['', '', unknown]);
    expect(inspect(text).view.reasons).toEqual([{ reason: unknown, count: 1 }]);
    expect(inspect(text, { filter: 'kind=ULID' }).view.reasons).toEqual([]);
  });

  it('say how far they are from the time of their line', () => {
    expect(inspect(LOG).column('apart')).toEqual(['-0.895', '-9.372', APART, '', '', '']);
    const { column } = inspect(`created,id\n2022-06-28T16:07:41Z,${TWEET}\n,${UUID}\n2016-04-30 11:18:25,${GUILD}\n`, {
      group: 'all',
    });
    expect(column('apart')[0]).toBe('-0.895');
    expect(column('apart')[1]).toBe('');
  });

  it('are farthest from the time of their line, but only of kinds that are made at such times', () => {
    const line = (second: number, user: string) => `2022-06-28T16:07:${second}Z <@${user}> sent ${TWEET}`;
    const late = `2022-06-28T16:09:41Z ${TWEET}\n`;
    const text = `${line(41, USER)}\n${line(39, USER)}\n${late}`;
    const { inspection } = inspect(text, { group: 'all' });
    expect(inspection.statistics().farthest).toEqual([{ line: 3, seconds: -120.895 }]);
    inspection.view({ ...DEFAULTS, group: 'all', filter: 'line<3' });
    expect(inspection.statistics().farthest).toEqual([{ line: 2, seconds: 1.105 }]);
    inspection.view({ ...DEFAULTS, group: 'all', filter: 'kind=Discord' });
    expect(inspection.statistics().farthest).toEqual([]);
    expect(inspect(`${TWEET}\n${USER}`).inspection.statistics().farthest).toEqual([]);
  });

  it('have microseconds if their own layout has', () => {
    const first = '4d1e53e2-a182-11ed-a4bf-3f161938a1c4';
    const { column } = inspect(`a: ${first}\nhttps://x.com/a/status/${TWEET}\nb: ${UUID}`, { group: 'all' });
    expect(column('date')).toEqual([
      ...['2023-01-31T16:14:13.000701Z', '2022-06-28T16:07:40.105Z', '2024-07-02T12:34:56.789Z'],
    ]);
  });

  it('have dates in the zone that is chosen', () => {
    const [date] = inspect(LOG, { zone: 'Asia/Kolkata' }).column('date');
    expect(date).toBe('2022-06-28T21:37:40.105+05:30');
  });

  it('are sorted by date, by kind, by id and by how far they are apart', () => {
    const sorted = (column: string, descending = false) => inspect(LOG, { sort: { column, descending } }).column('id');
    const last = ['nothing', FOUR, PIN];
    expect(sorted('date')).toEqual([GUILD, TWEET, UUID, ...last]);
    expect(sorted('date', true)).toEqual([UUID, TWEET, GUILD, ...last]);
    expect(sorted('kind', true)).toEqual([UUID, TWEET, GUILD, ...last]);
    expect(sorted('apart')).toEqual([TWEET, GUILD, UUID, ...last]);
    expect(sorted('id').slice(0, 3)).toEqual([GUILD, TWEET, UUID]);
    expect(sorted('line', true)).toEqual([FOUR, PIN, 'nothing', GUILD, UUID, TWEET]);
  });

  it.each<[string, string[]]>([
    ['kind=Twitter', [TWEET]],
    ['kind="Discord channel"', [GUILD]],
    ['kind=disc', [GUILD]],
    ['kind!=Twitter date>2000', [GUILD, UUID]],
    ['kind=UUID', [UUID, FOUR]],
    ['kind=Pinterest', [PIN]],
    ['kind=nobody', []],
    ['date>=2022', [TWEET, UUID]],
    ['date<2022', [GUILD]],
    [`id=${TWEET}`, [TWEET]],
    ['id=01907370', [UUID]],
    ['id=5', []],
    ['line=2', [GUILD, UUID]],
    ['kind=Twitter or kind=disc', [TWEET, GUILD]],
    ['apart<9', [TWEET]],
    ['apart>0.5 apart<1', [TWEET]],
  ])('are filtered by %s', (filter, ids) => {
    const { view, column } = inspect(LOG, { filter });
    expect(view.filterError).toBeUndefined();
    expect(column('id')).toEqual(ids);
  });

  it('without a time of their line are not close to it', () => {
    const log = `2022-06-28T16:07:41Z https://x.com/a/status/${TWEET}\n<#${GUILD}>`;
    expect(inspect(log, { filter: 'apart<5' }).column('id')).toEqual([TWEET]);
  });

  it('are all rows, also if the first line looks like the name of a column', () => {
    expect(inspect(`a ${UUID} b\nhttps://x.com/a/status/${TWEET}`).column('id')).toEqual([UUID, TWEET]);
    expect(inspect(`id ${UUID}\nid ${FOUR}\n<@${USER}>`).view.groups.map(({ rows }) => rows)).toEqual([2, 1]);
  });

  it('have whole characters of long lines beside them', () => {
    const { column } = inspect(`${'é'.repeat(249)}x${'é'.repeat(10)} <@${USER}> https://x.com/a/status/${TWEET}`);
    expect(column('text').join('')).not.toContain('\ufffd');
  });

  it('are counted by their kinds', () => {
    const { view, inspection } = inspect(`${LOG}\nx ${UUID}`);
    expect([view.per, view.names]).toEqual(['kind', ['UUID', 'Twitter', 'Discord channel']]);
    expect(view.perValue).toMatchObject({ from: 1, width: 1 });
    expect([...(view.perValue?.counts ?? [])].slice(0, 3)).toEqual([2, 1, 1]);
    expect(inspection.statistics()).toMatchObject({ repeated: 1, spare: 1, per: 'kind' });
    expect(view.span).toEqual({ first: '2017-03-01T09:53:53.628000Z', last: '2024-07-02T12:34:56.789000Z' });
  });

  it('are exported with their kinds, and with the lines that they are in', () => {
    const { data } = Papa.parse<string[]>([...inspect(LOG).inspection.export().pieces].join('').trimEnd());
    const [first, second, , last] = LOG.split('\n');
    expect(data).toEqual([
      ['text', 'line', 'id', 'kind', 'date', 'apart', 'problem'],
      [first, '1:45', TWEET, 'Twitter', '2022-06-28T16:07:40.105Z', '-0.895', ''],
      [second, '2:24', GUILD, 'Discord channel', '2017-03-01T09:53:53.628Z', '-9.372', ''],
      [second, '2:48', UUID, 'UUID', '2024-07-02T12:34:56.789Z', APART, ''],
      ['nothing', '3:1', 'nothing', '', '', '', 'no id found in this line'],
      [last, '4:7', FOUR, 'UUID', '', '', 'UUID of version 4: it has no time in it'],
      [last, '4:77', PIN, 'Pinterest', '', '', 'has no date in it'],
    ]);
    const json = JSON.parse([...inspect(LOG, { filter: 'kind=Twitter' }).inspection.export('json').pieces].join(''));
    expect(json).toMatchObject([{ text: first, line: '1:45', id: TWEET, kind: 'Twitter' }]);
  });

  it('of a table have its columns beside them, which are exported once', () => {
    const table = `id,status\n${UUID},paid\nhttps://x.com/a/status/${TWEET},open\n${FOUR},paid\noops,paid`;
    const { view, column, inspection } = inspect(table, { group: 'all' });
    expect(view.columns.map(({ key, kind }) => `${key} ${kind}`)).toEqual([
      ...['line line', 'id id', 'kind kind', 'date date', 'id_ source', 'status source'],
    ]);
    expect(column('status')).toEqual(['paid', 'open', 'paid', 'paid']);
    const { data } = Papa.parse<string[]>([...inspection.export().pieces].join('').trimEnd());
    expect(data.slice(0, 2)).toEqual([
      ['id', 'status', 'line', 'id_2', 'kind', 'date', 'problem'],
      [UUID, 'paid', '2', UUID, 'UUID', '2024-07-02T12:34:56.789Z', ''],
    ]);
  });
});

describe('a group', () => {
  it('is shown alone, with its fields, if it is selected', () => {
    const { view, rows, column } = inspect(LOG, { group: 'Twitter' });
    expect(view).toMatchObject({ isMixed: false, group: 'Twitter', rows: 1, isFact: true });
    expect(view.layout).toEqual({ spec: 'twitter' });
    expect(view.columns.map(({ key }) => key)).toEqual([
      ...['line', 'id', 'date', 'apart', 'timestamp', 'datacenter', 'worker', 'sequence', 'text'],
    ]);
    expect(rows).toMatchObject([{ kind: undefined, layout: undefined, format: 'dec', id: BigInt(TWEET) }]);
    expect(column('text')).toEqual([LOG.split('\n')[0]]);
    expect(view.groups).toHaveLength(4);
  });

  it('of wide ids has their times, and no fields', () => {
    const { view, column } = inspect(LOG, { group: 'UUID', sort: { column: 'id', descending: true } });
    expect(view).toMatchObject({ isMixed: false, rows: 2, misfits: 1, read: 'uuid' });
    expect(view.wide).toBe('UUIDs of versions 4 and 7');
    expect(column('id')).toEqual([UUID, FOUR]);
    expect(column('date')).toEqual(['2024-07-02T12:34:56.789Z', '']);
  });

  it('is filtered and exported alone', () => {
    const { inspection, column } = inspect(LOG, { group: 'UUID', filter: 'date>=2024' });
    expect(column('id')).toEqual([UUID]);
    expect([...inspection.export().pieces].join('').split('\r\n')[1]).toContain(`,2:48,${UUID},2024-07-02`);
  });

  it('that is not there, or has the title of none, leaves all', () => {
    for (const group of ['all', 'nobody']) expect(inspect(LOG, { group }).view.isMixed).toBe(true);
  });

  it('keeps the format of each of its rows', () => {
    const text = `user_id=${USER}\nuser_id=0x0285f8b6bbc3f0e1\ntrace ${UUID}`;
    const shared = inspect(text, { group: 'all' });
    expect(shared.rows.map(({ format }) => format)).toEqual(['dec', 'hex', 'uuid']);
    const { rows } = inspect(text, { group: shared.view.groups[0].title });
    expect(rows.map(({ format }) => format)).toEqual(['dec', 'hex']);
  });

  const uuids = (count: number) => Array.from({ length: count }, (_, i) => `> ${UUID.slice(0, -1)}${i}`);
  it('is shown by itself if it has most ids, or if no other is known', () => {
    const link = `https://x.com/a/status/${TWEET}`;
    expect(inspect([...uuids(9), link].join('\n')).view.group).toBe('UUID');
    expect(inspect([...uuids(3), link].join('\n')).view.isMixed).toBe(true);
    expect(inspect([...uuids(2), '> 999999999999999999'].join('\n')).view.group).toBe('UUID');
  });

  it('has the unreadable rows beside it, until it is chosen', () => {
    const text = ['id', ...Array.from({ length: 9 }, (_, i) => BigInt(TWEET) + BigInt(i)), UUID, 'oops'].join('\n');
    expect(inspect(text).view).toMatchObject({ group: 'Twitter', rows: 10, bad: 1, isMixed: false });
    expect(inspect(text, { show: 'bad' }).column('id')).toEqual(['oops']);
    expect(inspect(text, { group: 'Twitter' }).view).toMatchObject({ rows: 9, bad: 0 });
  });

  it('of a single link is the one of its most specific id', () => {
    const { view, column } = inspect(`https://discord.com/channels/${GUILD}/${USER}/937847820382261308`);
    expect([view.group, column('id')]).toEqual(['Discord message', ['937847820382261308']]);
    expect(view.groups.map(({ title }) => title)).toEqual(['Discord server', 'Discord channel', 'Discord message']);
  });

  it('has no dates of ids that are older than its epoch', () => {
    // A tweet of 2006: ids have a time since 4 November 2010.
    expect(inspect('https://twitter.com/jack/status/20').column('date')).toEqual([undefined]);
  });

  it('of one kind alone is the text', () => {
    const { view } = inspect(`a <@${USER}>\nb <@${GUILD}>\nnothing`);
    expect(view).toMatchObject({ isMixed: false, group: 'Discord user', rows: 3, bad: 1 });
  });

  it('has the layout that is chosen, and so have all ids of 64 bits', () => {
    const text = `${USER}\n${UUID}\n${TWEET}`;
    const mixed = inspect(text, { layout: { spec: 'mastodon' } });
    expect(mixed.view).toMatchObject({ isMixed: false, rows: 2, layout: { spec: 'mastodon' } });
  });

  it('has all rows of one title, of however many rows', () => {
    const ids = Array.from({ length: 150_000 }, (_, i) => BigInt(GUILD) + (BigInt(i) << 22n));
    const lines = ids.map((id, i) => `user${i % 2 ? '=' : ' '}${id}`);
    const { view } = inspect([...lines, `x ${UUID}`].join('\n'));
    expect(view.groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(150_001);
  });

  it('is told apart from three hundred others', () => {
    const lines = Array.from({ length: 300 }, (_, i) => `tweet_${i}_id=${BigInt(TWEET) + BigInt(i)}`);
    const { rows } = inspect(lines.join('\n'), { group: 'all' });
    expect(rows).toHaveLength(300);
    const wrong = rows.filter(({ kind }, i) => kind !== `Twitter tweet_${i}_id` && kind !== 'Twitter');
    expect(wrong.map(({ line, kind }) => `${line} ${kind}`)).toEqual([]);
  });
});

describe('columns of the source', () => {
  const table = `id,status,amount\n${TWEET},paid,100\n${USER},new,5\n${GUILD},paid,20\noops,new,5`;

  it('can be filtered, counted and sorted by', () => {
    expect(inspect(table, { filter: 'status=paid' }).column('id')).toEqual([TWEET, GUILD]);
    expect(inspect(table, { filter: 'status!=paid line<5' }).column('id')).toEqual([USER]);
    expect(inspect(table, { filter: 'status=NEW line<5' }).column('id')).toEqual([USER]);
    expect(inspect(table, { filter: 'status=none' }).column('id')).toEqual([]);
    const { view, inspection } = inspect(table, { per: 'status' });
    expect([view.per, view.names]).toEqual(['status', ['paid', 'new']]);
    expect([...(view.perValue?.counts ?? [])]).toEqual([2, 1]);
    expect(inspection.statistics().top).toEqual([
      { value: 'paid', count: 2 },
      { value: 'new', count: 1 },
    ]);
    const status = { column: 'status', descending: true };
    expect(inspect(table, { sort: status }).column('status')).toEqual(['paid', 'paid', 'new', 'new']);
  });

  const cells = ['(open)', `https://a.b/c/${GUILD}`, `user_${GUILD}`, ''];
  it.each(cells)('are filtered by what they show: “%s”', (cell) => {
    const shown = inspect(`id,a\n${TWEET},x\n${USER},${cell}\n${GUILD},y`, { filter: `a="${cell}"` });
    expect(shown.column('a')).toEqual([cell]);
  });

  it('of numbers are found as they are written', () => {
    expect(inspect(table, { filter: 'amount=100' }).column('amount')).toEqual(['100']);
  });

  it('of many values find each of them', () => {
    const users = Array.from({ length: 1500 }, (_, i) => `${BigInt(GUILD) + (BigInt(i) << 22n)},u${i}`);
    expect(inspect(`id,user\n${users.join('\n')}`, { filter: 'user=u1400' }).column('user')).toEqual(['u1400']);
  });

  it('may have names with points, as those of JSON have', () => {
    const dotted = JSON.stringify([{ id: TWEET, user: { name: 'ada' } }]);
    expect(inspect(dotted, { filter: 'user.name=ada' }).view.filterError).toBeUndefined();
  });

  it('of JSON are filtered wherever the array is', () => {
    const items = [
      { id: TWEET, status: 'paid' },
      { id: USER, status: 'new' },
    ];
    expect(inspect(JSON.stringify(items), { filter: 'status=paid' }).column('id')).toEqual([TWEET]);
    expect(inspect(JSON.stringify({ items }), { filter: 'status=paid' }).column('id')).toEqual([TWEET]);
  });

  it('of a table belong to the rows that they are beside, if its lines have several ids', () => {
    const several = `name,id,friend\nada,${TWEET},${USER}\nbob,${GUILD},${USER}`;
    const shown = inspect(several, { column: 'all ids', group: 'all', filter: 'name=bob' });
    expect(shown.column('id')).toEqual([GUILD, USER]);
  });

  it('of a text are its lines', () => {
    expect(inspect(LOG, { filter: 'text=2017-03' }).column('id')).toEqual([GUILD, UUID]);
  });

  it('of one file are empty in another', () => {
    const files = [
      { name: 'a.csv', text: `id,status\n${TWEET},paid\n${USER},new` },
      { name: 'b.csv', text: `id,other\n${GUILD},x` },
    ];
    expect(inspect(files).column('status')).toEqual(['paid', 'new', '']);
    expect(inspect(files, { per: 'status' }).view.names).toEqual(['paid', 'new']);
  });
});
