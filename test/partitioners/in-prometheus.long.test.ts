// Labels of random texts, and the remainders that a running Prometheus gives them by `hashmod` when it scrapes them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { partitioner } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { freePorts } from '../support/free-ports.js';
import { hasSystem } from '../support/programs.js';
import { randomU64s } from '../support/random.js';
import { KEYS, randomKeys } from './random-keys.js';
import { expectSame, expectSameRows } from './real-systems.js';

const MODULI = [12, 1000, 2 ** 31 - 1];
const LAST = 2n ** 64n - 1n;
const WAIT_MS = 120_000;

const { error } = spawnSync('prometheus', ['--version'], { stdio: 'ignore' });
const hasPrometheus = hasSystem('Prometheus', 'prometheus', error === undefined);

/** Labels. In what is scraped, NUL ends a text. */
const texts = (randomKeys('text').keys as string[]).map((key) => Buffer.from(key.replaceAll('\0', '')).toString());
const keys = { kind: 'text', keys: texts, rows: texts.map((text) => Buffer.from(text)) } as const;
/** Those of two source labels. A fifth of each is missing. */
const columns = [1, 2].map((seed) => {
  return Array.from(randomU64s(KEYS, seed), (dice) => {
    return dice % 5n === 0n ? null : texts[Number((dice >> 8n) % BigInt(KEYS))];
  });
});
const rows = { kinds: ['text', 'text'], columns } as const;

/** What is relabeled: the label that gets the remainder, its source labels and the modulus. */
const RULES: readonly (readonly [target: string, sources: readonly string[], modulus: number | bigint])[] = [
  ...MODULI.map((modulus) => [`of_${modulus}`, ['key'], modulus] as const),
  ...MODULI.map((modulus) => [`of_two_${modulus}`, ['a', 'b'], modulus] as const),
  ['token', ['key'], LAST],
];

describe.skipIf(!hasPrometheus)('the action hashmod', () => {
  let remainders: { readonly [target: string]: readonly string[] };

  beforeAll(async () => {
    remainders = await scraped();
  });

  const theirs = (target: string) => Uint32Array.from(remainders[target], Number);

  it('is told from its rows, with some of another hash', () => {
    const others = partitioner('kafka', { partitions: 12 }).routeMany(texts);
    expectDetected(texts, theirs('of_12'), others, '--as prometheus --shards 12');
  });

  onBothBackends('gives the same remainders', () => {
    it.each(MODULI)('of a label, modulo %i', (modulus) => {
      expectSame(keys, partitioner('prometheus', { modulus }).routeMany(texts), theirs(`of_${modulus}`));
    });

    it.each(MODULI)('of two labels, modulo %i', (modulus) => {
      const ours = partitioner('prometheus', { modulus, key: ['text', 'text'] }).routeMany(columns as never);
      expectSameRows(rows, ours, theirs(`of_two_${modulus}`));
    });

    it('of the whole hash', () => {
      const tokens = partitioner('prometheus', { modulus: 12 }).tokens(texts) as BigUint64Array;
      expectSame(keys, tokens, BigUint64Array.from(remainders.token, BigInt));
      expect(tokens).not.toContain(LAST);
    });
  });
});

/** Serves a series for each row to a new Prometheus. @returns the labels that it adds, in the order of the rows */
async function scraped(): Promise<{ readonly [target: string]: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-prometheus-'));
  const [port = 0] = await freePorts(1);
  const metrics = texts.map((_, row) => series(row)).join('');
  const target = createServer((_, response) => response.end(metrics));
  await once(target.listen(0, '127.0.0.1'), 'listening');
  writeFileSync(join(folder, 'prometheus.yml'), configuration((target.address() as AddressInfo).port));
  const log = join(folder, 'log');
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const server = spawn('sh', ['-c', 'exec prometheus "$@" > "$0" 2>&1', log, ...args], { stdio: 'ignore' });
  try {
    return await labelsFrom(port, server);
  } catch (error) {
    throw new Error(`${error}\n${readFileSync(log, 'utf8')}`);
  } finally {
    await stopped(server);
    target.close();
    rmSync(folder, { recursive: true });
  }
}

function configuration(port: number): string {
  const rules = RULES.map(([target_label, source_labels, modulus]) => {
    return `{ action: hashmod, source_labels: [${source_labels}], modulus: ${modulus}, target_label: ${target_label} }`;
  });
  return `
    global: { scrape_interval: 5s, scrape_timeout: 5s }
    scrape_configs:
      - job_name: rows
        static_configs: [{ targets: ['127.0.0.1:${port}'] }]
        metric_relabel_configs:
          ${rules.map((rule) => `- ${rule}`).join('\n          ')}`;
}

/** Text that Prometheus scrapes: an empty label is a label that is missing. */
function series(row: number): string {
  const labels = { row: String(row), key: texts[row], a: columns[0][row], b: columns[1][row] };
  const written = Object.entries(labels).flatMap(([name, value]) => {
    return value === null ? [] : [`${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`];
  });
  return `row_of_keys{${written}} 1\n`;
}

async function labelsFrom(
  port: number,
  server: ChildProcess,
): Promise<{ readonly [target: string]: readonly string[] }> {
  const found = Object.fromEntries(RULES.map(([target]) => [target, new Array<string>(KEYS)]));
  for (const end = performance.now() + WAIT_MS; performance.now() < end; await setTimeout(500)) {
    if (server.exitCode !== null) throw new Error('Prometheus has ended');
    const url = `http://127.0.0.1:${port}/api/v1/series?match[]=row_of_keys`;
    const response = await fetch(url).catch(() => undefined);
    if (!response?.ok) continue;
    const { data } = (await response.json()) as { data: readonly { readonly [label: string]: string }[] };
    if (data.length < KEYS) continue;
    for (const labels of data) for (const [target] of RULES) found[target][Number(labels.row)] = labels[target];
    expect(new Set(data.map(({ row }) => row)).size).toBe(KEYS);
    return found;
  }
  throw new Error(`Prometheus has not scraped ${KEYS} series`);
}

async function stopped(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill();
  await once(server, 'exit');
}
