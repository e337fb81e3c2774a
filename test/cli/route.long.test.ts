// What route.test.ts does in its own process, as processes, with longer lines.
import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { tsv, words } from './keys.js';
import { readsCompressed, takesLines } from './line-inputs.js';

describe('route takes a line as a key', () => {
  // Threads are started from the built package.
  takesLines(10, { fromFile: (bytes) => (bytes.length > 8_000_000 ? shardbits : runHere), fromPipe: shardbits });
});

describe('route reads what is compressed', () => {
  readsCompressed({ fromFile: shardbits, small: shardbits, large: runHere });
});

describe('route routes', () => {
  it('the same without WebAssembly', async () => {
    const { stdout } = await shardbits(['route', '--shards', '1024'], { input: [words], node: ['--jitless'] });
    expect(stdout.equals(tsv(words))).toBe(true);
  });
});
