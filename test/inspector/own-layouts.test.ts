import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { parseTime } from '../../src/inspector/decode/dates.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import {
  type LayoutChoice,
  layoutOf,
  namedByGuess,
  PRESETS,
  snippetOf,
  specOf,
  withFields,
  withSpec,
} from '../../src/inspector/decode/layout-choice.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { fromFragment, toFragment } from '../../src/inspector/page/link.js';

const NOW = Date.UTC(2026, 0);
const EPOCH = Date.UTC(2023, 0); // of snowflake

const SONYFLAKE = { epoch: Date.UTC(2014, 8), unit: '10ms' } as const;

describe('a layout whose fields are typed', () => {
  it('keeps the epoch and the unit of its time, be they of a guess, of a preset or chosen', () => {
    const moved = withFields(layouts.sonyflake, layouts.sonyflake.places);
    for (const chosen of [undefined, { spec: 'sonyflake' }, moved]) {
      const typed = withSpec(chosen, layouts.sonyflake, 'machine:24,timestamp:39');
      expect(typed).toEqual({ spec: 'machine:24,timestamp:39', ...SONYFLAKE });
      expect(layoutOf(typed).time).toMatchObject(SONYFLAKE);
    }
  });

  it('counts milliseconds since 1970 if its time has another name, unless an epoch was chosen', () => {
    expect(layoutOf(withSpec(undefined, layouts.discord, 'ts:42,rest:22')).time).toMatchObject({
      epoch: 0,
      unit: 'ms',
    });
    expect(withSpec({ spec: 'snowflake', epoch: 5 }, layouts.snowflake, 'ts:40')).toEqual({ spec: 'ts:40', epoch: 5 });
    expect(withSpec(undefined, layouts.clientEntity, 'time:42,rest:22')).toEqual({ spec: 'time:42,rest:22' });
  });

  it('may be the name of a preset, which has its own epoch', () => {
    expect(withSpec({ spec: 'discord', epoch: 5 }, layouts.discord, ' twitter')).toEqual({ spec: 'twitter' });
  });
});

describe('a layout of widths alone', () => {
  it.each([
    '41:10:12',
    '41/10/12',
    '41 - 10 - 12',
    ' 41+10+12',
    '41 10 12',
    '41, 10, 12',
    '1:41:10:12',
    '1 41 10 12',
  ])('%j is a time, a worker and a sequence', (spec) => {
    expect(namedByGuess(spec)).toBe('timestamp:41,worker:10,sequence:12');
    expect(specOf(layoutOf({ spec }).places)).toBe('timestamp:41,worker:10,sequence:12');
    expect(layoutOf({ spec, epoch: EPOCH, unit: '10ms' }).time).toMatchObject({ epoch: EPOCH, unit: '10ms' });
    expect(withSpec(undefined, layouts.sonyflake, spec)).toEqual({ spec, ...SONYFLAKE });
  });

  it.each([
    ['42:22', 'timestamp:42,field2:22'],
    ['41:5:5:12', 'timestamp:41,field2:5,field3:5,field4:12'],
    ['1:63', 'timestamp:1,field2:63'],
  ])('%s has names that count', (spec, named) => expect(specOf(layoutOf({ spec }).places)).toBe(named));

  it.each(['41:10:14', '41:0:12', '99:1', '41', '41::', '41:10:x', 'a:41 10'])('%s is none', (spec) => {
    expect(() => layoutOf({ spec })).toThrow(RangeError);
  });

  it('is kept in a link', () => {
    for (const link of ['layout=41:10:12', 'layout=41/10/12', 'layout=41+10+12', 'layout=41%2B10%2B12']) {
      const { layout } = fromFragment(`#${link}`).settings;
      expect(layout && specOf(layoutOf(layout).places)).toBe('timestamp:41,worker:10,sequence:12');
    }
    const fragment = toFragment({ ...DEFAULTS, layout: { spec: '41:10:12' } }, '');
    expect(fragment).toBe('layout=41:10:12');
  });
});

describe('presets', () => {
  it('are those of the library, TikTok and Slack', () => {
    expect([...PRESETS].sort()).toEqual([...Object.keys(layouts), 'tiktok', 'slack'].sort());
    const tiktok = layoutOf({ spec: 'tiktok' });
    expect(tiktok.places.map(({ name }) => name)).toEqual(['timestamp', 'millisecond', 'tail']);
    expect(tiktok.dateOf(6854717870488702213n)).toEqual(new Date('2020-07-29T02:06:13Z'));
    expect(layoutOf({ spec: 'slack' }).dateOf(1541815603606036n)).toEqual(new Date('2018-11-10T02:06:43.606Z'));
    expect(snippetOf('javascript', { spec: 'tiktok' }, tiktok)).toContain('defineLayout(');
    expect(snippetOf('javascript', { spec: 'discord' }, layouts.discord)).toContain('layouts.discord');
  });
});

describe('a field of time', () => {
  it.each(['timestamp', 'ts', 'time', 'created_at', 'createdAt', 'created', 'TS'])('may be called %s', (name) => {
    expect(layoutOf({ spec: `${name}:41,shard:10` }).time).toMatchObject({ name, epoch: 0, unit: 'ms' });
    const chosen = { spec: `${name}:41,shard:10`, epoch: EPOCH, unit: '10ms' } as const;
    expect(layoutOf(chosen).time).toMatchObject({ name, epoch: EPOCH, unit: '10ms' });
  });

  it('is one alone: the timestamp, or the first that has such a name', () => {
    expect(layoutOf({ spec: 'ts:20,timestamp:41' }).time?.name).toBe('timestamp');
    expect(layoutOf({ spec: 'shard:3,created_at:20,ts:20' }).time?.name).toBe('created_at');
    expect(layoutOf({ spec: 'client:22,entity:40' }).time).toBeUndefined();
    expect(layoutOf({ spec: 'timeout:22,tsx:40' }).time).toBeUndefined();
  });

  it('has dates in the table, and is filtered by them', () => {
    const ids = [0n, 60_000n, 3_600_000n].map((ms) => ms << 10n).join('\n');
    const inspection = new Inspection(new TextEncoder().encode(ids), NOW);
    const layout: LayoutChoice = { spec: 'created_at:41,shard:10', epoch: EPOCH };
    const view = inspection.view({ ...DEFAULTS, layout, filter: 'date=2023-01-01T00 created_at>=2023' });
    expect(view).toMatchObject({ shown: 2, overTime: { edges: expect.any(Array) }, filterError: undefined });
    expect(view.columns.map(({ label }) => label)).toContain('created_at (Unix ms)');
    expect(inspection.rows(1, 2)[0]?.cells[2]).toBe('2023-01-01T00:01:00.000Z');
  });
});

describe('a number of ten digits', () => {
  it('is read as seconds, and says so', () => {
    expect(parseTime('1420070400', NOW)).toEqual({
      from: BigInt(Date.UTC(2015, 0)) * 1000n,
      to: BigInt(Date.UTC(2015, 0) + 1000) * 1000n,
      readAs: 'seconds',
    });
  });

  it.each(['1420070400000', '142007040', '-1420070400', '1420070400.5'])('%s is in milliseconds', (text) => {
    expect(parseTime(text, NOW)).toMatchObject({ from: BigInt(Math.round(Number(text) * 1000)) });
    expect(parseTime(text, NOW)?.readAs).toBeUndefined();
  });
});
