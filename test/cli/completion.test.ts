import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.js';

describe('completion', () => {
  it('is written for shells that are known', async () => {
    const run = await runHere(['completion', 'fihs']);
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: SHELL: expected one of bash, zsh, fish, got "fihs" \(Did you mean fish\?\)\n$/,
      ),
    });
    expect(await runHere(['completion'])).toMatchObject({ code: 2 });
  });
});
