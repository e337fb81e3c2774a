import { describe, expect, it } from 'vitest';
import { type Layout, parseLayout } from '../../src/index.js';
import { randomU64s } from '../support/random.js';
import { runHere } from '../support/run-here.js';

async function decoded(ids: Iterable<bigint>, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(['decode', ...args], { input: [[...ids].join('\n')] });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

/** A date as Date has it; nothing beyond that. */
function dateOf(layout: Layout, id: bigint): string {
  try {
    return layout.dateOf(id).toISOString();
  } catch {
    return '';
  }
}

describe('decode writes what unpack and dateOf give', () => {
  it.each(['snowflake', 'mastodon', 'sonyflake', 'uidGenerator', 'timestamp:53,z:11'])('%s', async (spec) => {
    const layout: Layout = parseLayout(spec);
    // Of every size, so that numbers of all lengths occur, and dates of all years.
    const ids = randomU64s(3000).map((id, i) => (id & layout.mask) >> BigInt(i % layout.bits));
    const rows = [...ids].map((id) => [id, ...Object.values(layout.unpack(id)), dateOf(layout, id)]);
    const header = ['id', ...Object.keys(layout.fields), 'date'];
    const table = (separator: string) => `${[header, ...rows].map((row) => row.join(separator)).join('\n')}\n`;
    expect(await decoded(ids, ['--layout', spec])).toBe(table('\t'));
    expect(await decoded(ids, ['--layout', spec, '--format', 'csv'])).toBe(table(','));

    const objects = [...ids].map((id) => {
      const fields = Object.entries(layout.unpack(id)).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? String(value) : value,
      ]);
      const date = dateOf(layout, id);
      return `${JSON.stringify({ id: String(id), ...Object.fromEntries(fields), ...(date && { date }) })}\n`;
    });
    expect(await decoded(ids, ['--layout', spec, '--format', 'json'])).toBe(objects.join(''));
  });

  it('of ids with zeros in front, without them', async () => {
    const { stdout } = await runHere(['decode', '--layout', 'a:60,b:4'], { input: ['007\n000\n'] });
    expect(stdout.toString()).toBe('id\ta\tb\n7\t0\t7\n0\t0\t0\n');
  });
});

describe('decode --raw', () => {
  it.each([
    'snowflake',
    'sonyflake',
    'timestamp:64',
    'z:1,timestamp:54',
  ])('writes times in the units of their field, dates as ever: %s', async (spec) => {
    const layout: Layout = parseLayout(spec);
    const ids = randomU64s(3000).map((id, i) => (id & layout.mask) >> BigInt(i % layout.bits));
    const units = layout.unpackMany(ids, { wide: true });
    const values = layout.places.map(({ name }) => units[name] ?? []);
    const rows = [...ids].map((id, row) => [id, ...values.map((column) => column[row]), dateOf(layout, id)].join('\t'));
    const text = await decoded(ids, ['--layout', spec, '--raw']);
    expect(text).toBe(`${[['id', ...Object.keys(layout.fields), 'date'].join('\t'), ...rows].join('\n')}\n`);
  });

  it('is what to do about times that a number cannot hold', async () => {
    const args = ['decode', '--layout', 'timestamp:64'];
    const input = ['5\n9007199254740993\n6\n'];
    const reason =
      'expected an id whose timestamp is exact in Unix milliseconds, got 9007199254740993; --raw prints its units';
    const { code, stdout, stderr } = await runHere(args, { input });
    expect([code, stderr]).toEqual([1, `error: -:2: ${reason}\n`]);
    expect(stdout.toString()).toBe('id\ttimestamp\tdate\n5\t5\t1970-01-01T00:00:00.005Z\n');
    expect((await runHere([...args, '--raw'], { input })).stdout.toString()).toContain(
      '\n9007199254740993\t9007199254740993\t\n6\t6\t1970-01-01T00:00:00.006Z\n',
    );
  });
});

describe('decode --format', () => {
  it('json is what --json means', async () => {
    const args = ['--layout', 'pinterest'];
    const json = await decoded([241294492511762325n], [...args, '--json']);
    expect(await decoded([241294492511762325n], [...args, '--format', 'json'])).toBe(json);
    expect(await decoded([241294492511762325n], [...args, '--json', '--format', 'json'])).toBe(json);
  });

  it('contradicts --json otherwise', async () => {
    const run = await runHere(['decode', '1', '--layout', 'a:1', '--json', '--format', 'csv']);
    expect(run).toMatchObject({ code: 2, stderr: 'error: --json cannot be combined with --format csv\n' });
  });

  it('a table has its header also where there are no ids', async () => {
    expect(await decoded([], ['--layout', 'a:1', '--format', 'csv'])).toBe('id,a\n');
    expect(await decoded([], ['--layout', 'a:1', '--format', 'json'])).toBe('');
  });
});
