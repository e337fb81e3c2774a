import { describe, expect, it } from 'vitest';
import { planReshard, Router, xxh64 } from '../../src/index.js';
import { runHere } from '../support/run-here.js';

async function output(args: string[], input: string[] = []): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, { input });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

const keys = Array.from({ length: 20_000 }, (_, i) => `user:${i}`);
const lines = `${keys.join('\n')}\n`;

describe('plan', () => {
  it('--json gives what planReshard gives', async () => {
    const router = new Router({ shards: 10 });
    const { total, moved, flows } = planReshard(keys, router, router.with({ shards: 13 }));
    const plan = JSON.parse(await output(['plan', '--from', '10', '--to', '13', '--json'], [lines]));
    expect(plan).toEqual({ total, moved, ideal: expect.closeTo((20_000 * 3) / 13, 6), flows });
  });

  it('says in words what moves, with the largest flows', async () => {
    const text = await output(['plan', '--from', '10', '--to', '9', '--strategy', 'modulo'], [lines]);
    expect(text).toMatch(
      /^keys +20,000\nmoved +1[78],\d{3} \((?:89|90|91)\.\d\d %\)\nideal +2,000 \(10\.00 %\)\n\nthe largest 20 of 8[01] flows/,
    );
  });

  it('of nothing is nothing', async () => {
    expect(await output(['plan', '--from', '1', '--to', '2'])).toBe('keys   0\nmoved  0 (0.00 %)\nideal  0 (0.00 %)\n');
  });
});

describe('hash', () => {
  it('writes XXH64 in hexadecimal, of the line without its newline', async () => {
    expect(await output(['hash'], ['abc\n\nz'])).toBe(
      `44bc2cf5ad770999\nef46db3751d8e999\n${xxh64('z').toString(16).padStart(16, '0')}\n`,
    );
  });

  it('--seed and --format dec', async () => {
    expect(await output(['hash', '--seed', '1', '--format', 'dec'], ['abc'])).toBe(`${0xbea9ca8199328908n}\n`);
  });
});

// Known ids: see test/vectors/ids.ts.
describe('decode', () => {
  it('writes a table', async () => {
    expect(await output(['decode', '286435872092454913', '--layout', 'snowflake'])).toBe(
      'id\ttimestamp\tshard\tsequence\tdate\n286435872092454913\t1740822833628\t0\t1\t2025-03-01T09:53:53.628Z\n',
    );
  });

  it('--json writes objects, ids and wide fields as strings', async () => {
    const text = await output(['decode', '241294492511762325', '--layout', 'pinterest', '--json']);
    expect(text).toBe('{"id":"241294492511762325","shard":3429,"type":1,"local":7075733}\n');
    const wide = await output(['decode', '18446744073709551615', '--layout', 'a:64', '--json']);
    expect(wide).toBe('{"id":"18446744073709551615","a":"18446744073709551615"}\n');
  });

  it('takes ids from standard input, any number of them', async () => {
    const ids = Array.from({ length: 40_000 }, (_, i) => String(154173452582932603n + BigInt(i)));
    const rows = (await output(['decode', '--layout', 'snowflake'], [ids.join('\n')])).trimEnd().split('\n');
    expect(rows.length).toBe(1 + ids.length);
    expect(rows[1]).toBe('154173452582932603\t1709289015500\t5\t123\t2024-03-01T10:30:15.500Z');
  });

  it('--epoch changes that of a preset or gives that of a spec', async () => {
    const date = (args: string[]) =>
      output(['decode', '154173452582932603', ...args]).then((text) => text.split('\t').at(-1));
    const spec = 'timestamp:41,shard:10,sequence:12';
    expect(await date(['--layout', spec, '--epoch', '2023-01-01T00:00:00Z'])).toBe('2024-03-01T10:30:15.500Z\n');
    expect(await date(['--layout', spec, '--epoch', '1672531200000'])).toBe('2024-03-01T10:30:15.500Z\n');
    expect(await date(['--layout', 'twitter', '--epoch', '2023-01-01T00:00:00Z'])).toBe('2024-03-01T10:30:15.500Z\n');
    expect(await date(['--layout', spec])).toBe('1971-03-02T10:30:15.500Z\n');
  });
});

describe('dates', () => {
  it('are in UTC unless they have an offset', async () => {
    const encode = (date: string) => output(['encode', '--layout', 'mastodon', 'tail=0', `timestamp=${date}`]);
    const noon = `${BigInt(Date.UTC(2024, 2, 1, 12)) << 16n}\n`;
    for (const date of ['2024-03-01T12:00', '2024-03-01T12:00:00.000Z', '2024-03-01T14:00+02:00']) {
      expect(await encode(date)).toBe(noon);
    }
  });

  it('beyond what a Date holds are left empty', async () => {
    const text = await output(['decode', '18446744073709551615', '--layout', 'timestamp:64', '--raw']);
    expect(text).toBe('id\ttimestamp\tdate\n18446744073709551615\t18446744073709551615\t\n');
  });
});

describe('encode', () => {
  it('takes values in any order, the timestamp as a date or as a number', async () => {
    const layout = ['--layout', 'snowflake', 'sequence=123', 'shard=5'];
    expect(await output(['encode', ...layout, 'timestamp=2024-03-01T10:30:15.500Z'])).toBe('154173452582932603\n');
    expect(await output(['encode', ...layout, 'timestamp=1709289015500'])).toBe('154173452582932603\n');
    expect(await output(['encode', ...layout, '--raw', 'timestamp=36757815500'])).toBe('154173452582932603\n');
  });
});

describe('demo', () => {
  it('shows routing, growth, an id and both backends, on the same keys each time', async () => {
    const text = await output(['demo', '--keys', '50000']);
    expect(text).toMatch(
      /^\n50,000 keys, routed .*\nsuch as at:\/\/did:plc:35gwnfnw2sm2piea7k5x2omr\/app.bsky.feed.post\/3jwes6bydd65i\n/,
    );
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(text).toMatch(/jump +\d+ keys move \(0\.\d\d %; ideal 0\.10 %\)/);
    expect(text).toMatch(/modulo +49,\d{3} keys move \(99\.\d\d %/);
    expect(text).toContain('2024-03-01T10:30:15.500Z');
    expect(text).toContain('and the same shard for every key');
  });
});
