import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as shipped from 'shardbits';
import * as shippedForNode from 'shardbits/node';
import { afterAll, describe, expect, it } from 'vitest';
import { typedKey } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { expectSame, file, router, sink } from './rows-of-tables.js';

describe('rows of NDJSON on several threads', () => {
  // As it is shipped: a thread needs its script.
  afterAll(() => shipped.setBackend('auto'));

  const SEGMENT = 4 * 1024 * 1024;
  const object = (i: number) => `{"n":${i},"text":"${'é😀 '.repeat(i % 30)}","a":{"b":"key ${i % 5000}\\n"}}`;
  const lines = (from: number, byteLength: number): string[] => {
    const all: string[] = [];
    for (let i = from, left = byteLength; left > 0; left -= Buffer.byteLength(all.at(-1) as string) + 1, i++) {
      all.push(object(i));
    }
    return all;
  };
  const rows = { format: 'ndjson', key: ['a.b', 'n'] } as const;
  const routed = (line: string): string => {
    const { n, a } = JSON.parse(line);
    return `${line.slice(0, -1)},"shard":${router.route(typedKey(a.b, String(n)))}}\n`;
  };
  const options = () => ({ router: new shipped.Router(router), records: rows });

  it.each(['wasm', 'bigint'] as const)('are those of one, of several files: %s', async (backend) => {
    shipped.setBackend(backend);
    const some = lines(0, backend === 'wasm' ? 2.1 * SEGMENT : 1.1 * SEGMENT);
    const more = lines(7, 1000);
    const paths = [file(some.join('\n')), file(''), file(`\ufeff${more.join('\r\n')}\r\n`)];
    const expected = some.map(routed).join('') + more.map((line) => routed(line).replace('\n', '\r\n')).join('');
    for (const threads of [1, 3]) {
      const { out, text } = sink();
      const progress = await shippedForNode.routeFile(paths, { ...options(), out, threads });
      expect(progress.keys).toBe(some.length + more.length);
      expectSame(text(), expected);
    }
  });

  it('end at the first one that is malformed, after those before it, and leave nothing', async () => {
    shipped.setBackend('auto');
    const [some, more] = [lines(0, 1.5 * SEGMENT), lines(9, SEGMENT)];
    const bad = ['{"n":1}', ...more, 'bad'];
    const path = file([...some, ...bad].join('\n'));
    const folder = temporaryFolder();
    for (const threads of [1, 3]) {
      const { out, text } = sink();
      const line = some.length + 1;
      const message = `${path}:${line}: a.b: expected a key other than NULL, got undefined`;
      const job = { ...options(), threads };
      await expect(shippedForNode.routeFile(path, { ...job, out })).rejects.toMatchObject({
        message,
        line,
        file: path,
      });
      expectSame(text(), some.map(routed).join(''));
      await expect(shippedForNode.routeFile(path, { ...job, out: join(folder, 'out') })).rejects.toThrow(message);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are those of one where CSV is read by one', async () => {
    const csv = { format: 'csv', key: 'b' } as const;
    const quoted = `a,b\n${'"\n",x\n'.repeat(SEGMENT / 6)}`;
    const { out, text } = sink();
    await shippedForNode.routeFile(file(quoted), { ...options(), records: csv, out, threads: 3 });
    expectSame(text(), `a,b,shard\n${`"\n",x,${router.route('x')}\n`.repeat(SEGMENT / 6)}`);
  });
});
