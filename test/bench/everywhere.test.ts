import { getBackend, setBackend } from 'shardbits';
import { afterAll, describe, expect, it } from 'vitest';
import { checksum } from '../../bench/everywhere/checksum.js';
import { type Figure, figures } from '../../bench/everywhere/figures.js';
import { type Measured, measure } from '../../bench/everywhere/measure.js';
import { betweenMarks } from '../../bench/everywhere/pages.js';
import { differences, type EngineReport, type TimedEngine } from '../../bench/everywhere/results.js';
import { markdownTables, plainTables } from '../../bench/everywhere/table.js';

afterAll(() => setBackend('auto'));

const SUMMARY = { ns: { median: 1, min: 1, max: 1 }, timesShardbits: 1 };

/** A clock that shows `ms` more each time that it is read. */
function ticking(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

function figure(name: string, work: Figure['work'], rest: Partial<Figure> = {}): Figure {
  return { name, title: name, kind: 'columns', rows: 10, work, ...rest };
}

const timed = (some: Iterable<Figure>, ms = 20) => measure(some, 'v1', ticking(ms), async () => {});

describe('the program', () => {
  it('has ten figures of columns and ten of single values, the same on both backends and by hand', async () => {
    const { version, backend, checks, failures, figures: all } = await timed(figures(1000));
    expect({ version, backend, failures }).toEqual({ version: 'v1', backend: 'wasm', failures: [] });
    expect(all.filter(({ kind }) => kind === 'columns')).toHaveLength(10);
    expect(all.filter(({ kind }) => kind !== 'columns')).toHaveLength(10);
    expect(checks).toBe(20 + all.filter(({ kind }) => kind === 'byHand').length);
    expect(new Set(all.map(({ name }) => name)).size).toBe(20);
  });

  it('gives nanoseconds a row, of as many runs as take 20 ms', async () => {
    const work = () => [Uint8Array.of(1)];
    const [one] = (await timed([figure('bytes', work)])).figures; // one run of 20 ms
    const [two] = (await timed([figure('bytes', work)], 10)).figures; // two runs of 10 ms
    expect(one?.shardbits).toEqual({ ns: { median: 2e6, min: 2e6, max: 2e6 }, timesShardbits: 1 });
    expect(two?.bigint).toEqual({ ns: { median: 1e6, min: 1e6, max: 1e6 }, timesShardbits: 1 });
  });

  it('names a figure whose backends differ, and does not time it', async () => {
    const different = figure('odd', () => [[getBackend()]]);
    const { failures, figures: all } = await timed([different, figure('even', () => [['a']])]);
    expect(failures).toEqual(['odd: the results of bigint differ from those of wasm']);
    expect(all.map(({ name }) => name)).toEqual(['even']);
  });

  it('names a figure that differs by hand', async () => {
    const { failures } = await timed([figure('odd', () => [['a']], { kind: 'byHand', byHand: () => [['b']] })]);
    expect(failures).toEqual(['odd: the results of BigInt by hand differ from those of wasm']);
  });

  it('does not take what one way has left in a column for the work of the next', async () => {
    const column = Uint8Array.of(0, 0);
    const { failures } = await timed([figure('lazy', () => [getBackend() === 'wasm' ? column.fill(7) : column])]);
    expect(failures).toHaveLength(1);
  });
});

it('a checksum tells columns and texts apart by each of their parts', () => {
  const sums = [
    [Uint8Array.of(1, 2)],
    [Uint8Array.of(2, 1)],
    [Uint8Array.of(1), Uint8Array.of(2)],
    [Uint8Array.of(1, 2, 0)],
    [['1', '2']],
    [['12']],
    [['', '12']],
    [],
  ].map(checksum);
  expect(new Set(sums).size).toBe(sums.length);
  expect(checksum([Uint8Array.of(9, 1, 2).subarray(1)])).toBe(checksum([Uint8Array.of(1, 2)]));
});

function measured(name: string, kind: Figure['kind'], wasm: number, bigint: number, sum = '0'): Measured {
  const rows = kind === 'columns' ? 100_000 : 10_000;
  const other = { ns: { median: bigint, min: bigint, max: bigint }, timesShardbits: bigint / wasm };
  const shardbits = { ...SUMMARY, ns: { median: wasm, min: wasm, max: wasm } };
  return { name, title: `the ${name}`, kind, rows, checksum: sum, shardbits, bigint: other };
}

const NODE: TimedEngine = {
  name: 'Node 20',
  javascript: 'V8',
  version: '20.20.2',
  figures: [measured('jump', 'columns', 9.96, 70.4), measured('date', 'byHand', 0.5, 0.455)],
};
const WEBKIT: TimedEngine = {
  name: 'WebKit',
  javascript: 'JavaScriptCore',
  version: 'WebKitGTK 2.50.6',
  figures: [measured('jump', 'columns', 10, 1234), measured('date', 'byHand', 40, 90, '1')],
};
const REPORT: EngineReport = {
  machine: {
    cpu: 'a CPU',
    cores: 2,
    memoryGb: 24,
    system: 'linux',
    node: 'v20',
    v8: '11',
    shardbits: '1.0.0',
    commit: 'abc',
    date: '2026-01-01',
  },
  engines: [NODE, WEBKIT],
  missing: [{ name: 'Firefox', why: 'apt-get install firefox-esr' }],
};

const HEAD = [
  'a CPU, 2 cores, 24 GB, linux; Node v20 (V8 11); shardbits 1.0.0 at abc; 2026-01-01',
  'Node 20: 20.20.2 (V8); WebKit: WebKitGTK 2.50.6 (JavaScriptCore).',
  'Missing: Firefox (apt-get install firefox-esr).',
  'Nanoseconds a row, and how many times as long BigInt takes: medians of rounds, after the results were compared.',
];
const BY_HAND = 'Single values for which both backends run the same code: shardbits / BigInt written by hand';

describe('the tables', () => {
  it('have a line for each figure and a column for each engine, on a terminal', () => {
    expect(plainTables(REPORT)).toBe(
      [
        ...HEAD,
        '',
        'Columns: WebAssembly / BigInt; 100,000 rows',
        '                      Node 20            WebKit',
        'the jump        10 / 70, 7.1×   10 / 1234, 123×',
        '',
        `${BY_HAND}; 10,000 rows`,
        '                      Node 20            WebKit',
        'the date   0.50 / 0.46, 0.91×     40 / 90, 2.3×',
        '',
      ].join('\n'),
    );
  });

  it('and the same in Markdown', () => {
    expect(markdownTables(REPORT)).toBe(
      [
        ...HEAD,
        'Columns: WebAssembly / BigInt; 100,000 rows:',
        ['|  | Node 20 | WebKit |', '| --- | ---: | ---: |', '| the jump | 10 / 70, 7.1× | 10 / 1234, 123× |'].join(
          '\n',
        ),
        `${BY_HAND}; 10,000 rows:`,
        ['|  | Node 20 | WebKit |', '| --- | ---: | ---: |', '| the date | 0.50 / 0.46, 0.91× | 40 / 90, 2.3× |'].join(
          '\n',
        ),
      ].join('\n\n'),
    );
  });

  it('say only the machine and what is missing, if no engine was there', () => {
    expect(plainTables({ ...REPORT, engines: [] })).not.toContain('Columns');
  });
});

it('the tables replace what a page has between their marks, and a page without marks stays as it is', () => {
  const page = (between: string) => `# Speed\n<!-- x -->\n${between}<!-- /x -->\nMore.\n`;
  expect(betweenMarks(page(''), 'x', 'a table')).toBe(page('\na table\n\n'));
  expect(betweenMarks(page('\nan old table\n\n'), 'x', '$& new')).toBe(page('\n$& new\n\n'));
  expect(betweenMarks(page(''), 'y', 'a table')).toBe(page(''));
});

it('a figure that differs between engines is named with both of them', () => {
  expect(differences([NODE, WEBKIT])).toEqual(['the date: the results of WebKit differ from those of Node 20']);
  expect(differences([NODE, NODE])).toEqual([]);
});
