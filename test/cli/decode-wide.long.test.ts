import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';

const table = (rows: readonly (readonly string[])[], separator = '\t') =>
  [['id', 'timestamp', 'date'], ...rows].map((row) => `${row.join(separator)}\n`).join('');

describe('decode of ids wider than 64 bits', () => {
  it('come in any number, also without WebAssembly', async () => {
    const ids = Array.from({ length: 50_000 }, (_, i) => {
      const ms = (1645557742000 + i).toString(16).padStart(12, '0');
      return [`${ms.slice(0, 8)}-${ms.slice(8)}-7cc3-98c4-dc0c0c07398f`, 1645557742000 + i] as const;
    });
    const expected = table(ids.map(([id, ms]) => [id, String(ms), new Date(ms).toISOString()]));
    for (const node of [[], ['--jitless']]) {
      const { code, stdout, stderr } = await shardbits(['decode'], { input: [ids.map(([id]) => id).join('\n')], node });
      expect([code, stderr.replace(/^Warning: .*\n/, '')]).toEqual([0, 'guessed ids: uuid\n']);
      expect(stdout.toString() === expected).toBe(true);
    }
  });
});
