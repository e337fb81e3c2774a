import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Router } from 'shardbits';
import { routeFile } from 'shardbits/node';
import type { Area, Way } from '../area.js';
import { writeAtUris } from '../peers/at-uri-file.js';

// So many that a second thread saves more time than its start takes.
const ROWS = 4_000_000;

/** A file of keys, one on each line: what one thread gains over columns in memory, and two over one. */
export async function* files(): AsyncGenerator<Area> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
  const [input, out] = [join(folder, 'keys'), join(folder, 'shards')];
  const router = new Router({ shards: 1024 });
  const onThreads = (name: string, threads: number): Way => ({
    name,
    async run() {
      await routeFile(input, { router, out, format: 'u32', threads });
      return [new Uint32Array(new Uint8Array(readFileSync(out)).buffer)];
    },
  });
  const inMemory: Way = {
    name: 'columns in memory',
    run() {
      const bytes = readFileSync(input);
      const starts = new Uint32Array(ROWS);
      const ends = new Uint32Array(ROWS);
      for (let row = 0, at = 0; row < ROWS; row++) {
        starts[row] = at;
        ends[row] = bytes.indexOf(10, at);
        at = ends[row] + 1;
      }
      const offsets = new Uint32Array(ROWS + 1);
      const data = new Uint8Array(bytes.length);
      for (let row = 0; row < ROWS; row++) {
        data.set(bytes.subarray(starts[row], ends[row]), offsets[row]);
        offsets[row + 1] = offsets[row] + ends[row] - starts[row];
      }
      return [router.routeMany({ data, offsets })];
    },
  };
  const area = { rows: ROWS, bytesPerRow: 75 };
  try {
    writeAtUris(input, ROWS);
    yield {
      ...area,
      name: 'file-one-thread',
      title: 'routeFile to u32, keys of 70 bytes, one thread',
      ways: [onThreads('one thread', 1), inMemory],
    };
    yield {
      ...area,
      name: 'file-two-threads',
      title: 'routeFile to u32, keys of 70 bytes, two threads',
      ways: [onThreads('two threads', 2), onThreads('one thread', 1)],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
