import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { hashLines, planLines, type RejectedLine, routeFile, routeToDirectory } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';

const router = new Router({ shards: 10, hash: 'none', strategy: 'modulo' });
const isBad = (line: string) => !/^[0-9]+$/.test(line);

/** A stream, and what has come to it. */
function sink() {
  let text = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { out, text: () => text };
}

/** As text, with the number of its line. */
function shown({ file, line, bytes }: RejectedLine): string {
  return `${file}:${line} ${new TextDecoder().decode(bytes)}`;
}

const INPUTS: [name: string, lines: string[]][] = [
  ['the first one', ['x', '1', '2']],
  ['the last one', ['1', '2', 'x']],
  ['one in the middle', ['1', 'x', '2']],
  ['several in a row', ['1', 'x', '', 'y', '2']],
  ['all', Array(1000).fill('no')],
  ['every second one of many', Array.from({ length: 4000 }, (_, i) => (i % 2 === 0 ? 'x' : String(i)))],
  ['a few of many', Array.from({ length: 20_000 }, (_, i) => (i % 7001 === 7000 ? `${i}!` : String(i)))],
];

onBothBackends('lines that are not u64s', () => {
  it.each(INPUTS)('end a job after the rows before them: %s', async (_, lines) => {
    const at = lines.findIndex(isBad);
    const { out, text } = sink();
    const job = routeFile(Readable.from([lines.join('\n')]), { router, out, keys: 'u64', format: 'shard' });
    await expect(job).rejects.toMatchObject({ file: '-', line: at + 1, got: lines[at] });
    const before = lines.slice(0, at).map((line) => `${Number(line) % 10}\n`);
    expect(text()).toBe(before.join(''));
  });

  it.each(INPUTS)('are handed to onReject, while the rest goes on: %s', async (_, lines) => {
    const rejected: string[] = [];
    const onReject = (line: RejectedLine) => void rejected.push(shown(line));
    const { out, text } = sink();
    const options = { router, out, keys: 'u64', format: 'tsv', onReject, threads: 4 } as const;
    const { keys } = await routeFile(Readable.from([lines.join('\n')]), options);
    const good = lines.filter((line) => !isBad(line));
    expect(text()).toBe(good.map((line) => `${Number(line) % 10}\t${line}\n`).join(''));
    expect(rejected).toEqual(lines.flatMap((line, i) => (isBad(line) ? [`-:${i + 1} ${line}`] : [])));
    expect(keys).toBe(good.length);
  });
});

describe('onReject', () => {
  it('is told of them in their place among the others, and waited for', async () => {
    const seen: string[] = [];
    const onReject = async (line: RejectedLine) => {
      await Promise.resolve();
      seen.push(shown(line));
    };
    for await (const { hashes } of hashLines(Readable.from(['1\nx\n2\n3\ny']), {
      keys: 'u64',
      hash: 'none',
      onReject,
    })) {
      seen.push(hashes.join());
    }
    expect(seen).toEqual(['1', '-:2 x', '2,3', '-:5 y']);
  });

  it('ends the job with what it throws', async () => {
    const folder = temporaryFolder();
    const onReject = () => {
      throw new Error('enough');
    };
    const options = { router, keys: 'u64', onReject } as const;
    const input = () => Readable.from(['1\nx\n']);
    await expect(routeFile(input(), { ...options, out: join(folder, 'out') })).rejects.toThrow('enough');
    await expect(routeToDirectory(input(), { ...options, directory: join(folder, 'dir') })).rejects.toThrow('enough');
    await expect(planLines(input(), router, router, { keys: 'u64', onReject })).rejects.toThrow('enough');
    expect([existsSync(join(folder, 'out')), existsSync(join(folder, 'dir'))]).toEqual([false, false]);
  });

  it('has to be a function', async () => {
    const onReject = 'reject' as never;
    await expect(routeFile('no', { router, out: 'no', onReject })).rejects.toThrow('"onReject": expected a function');
    expect(() => hashLines('no', { onReject })).toThrow(TypeError);
  });

  it('is told of the lines of a file, which then is not shared out among threads', async () => {
    const folder = temporaryFolder();
    const [keys, out] = [join(folder, 'keys'), join(folder, 'out')];
    writeFileSync(keys, `1\nx\r\n2`);
    const rejected: string[] = [];
    const onReject = (line: RejectedLine) => void rejected.push(shown(line));
    await routeFile(keys, { router, out, keys: 'u64', format: 'shard', threads: 2, onReject });
    expect([readFileSync(out, 'utf8'), rejected]).toEqual(['1\n2\n', [`${keys}:2 x`]]);
    await routeToDirectory(keys, { router, directory: join(folder, 'dir'), keys: 'u64', onReject });
    expect(readFileSync(join(folder, 'dir', '2.txt'), 'utf8')).toBe('2\n');
    expect(await planLines(keys, router, router, { keys: 'u64', onReject })).toMatchObject({ total: 2 });
  });
});
