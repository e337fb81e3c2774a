import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { runHere } from '../support/run-here.js';

/** Times in small numbers. */
const snowflake = ['encode', '--layout', 'snowflake', '--raw'];

async function encoded(args: string[], input: (string | Uint8Array)[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(['encode', ...args], { input });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

describe('encode reads rows', () => {
  it('by the hundred thousand, with a wrong one among them found', async () => {
    const many = Array.from({ length: 200_000 }, (_, i) => `${i}\t${i % 1024}\t${i % 4096}`);
    const expected = many.map((_, i) =>
      layouts.snowflake.pack({ timestamp: BigInt(i), shard: i % 1024, sequence: i % 4096 }),
    );
    const text = `timestamp\tshard\tsequence\n${many.join('\n')}\n`;
    expect(await encoded(['--layout', 'snowflake', '--raw'], [text])).toBe(`${expected.join('\n')}\n`);
    const run = await runHere(snowflake, { input: [text.replace('\n150000\t', '\n150000 \t')] });
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: -:150002: timestamp: expected a whole number or a date .*, got "150000 "\n$/,
      ),
    });
    expect(run.stdout.toString()).toBe(`${expected.slice(0, 150_000).join('\n')}\n`);
  });
});
