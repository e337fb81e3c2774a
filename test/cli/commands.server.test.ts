import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';

describe('demo', () => {
  it('says so where there is no WebAssembly', async () => {
    const { stdout } = await shardbits(['demo', '--keys', '1000'], { node: ['--jitless'] });
    expect(stdout.toString()).toContain('WebAssembly is not available here');
  });
});
