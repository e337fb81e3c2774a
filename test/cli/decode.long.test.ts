import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';

describe('decode writes what unpack and dateOf give', () => {
  it('also without WebAssembly, and without a timestamp', async () => {
    const args = ['decode', '--layout', 'client:27,entity:5', '--format', 'csv'];
    const { code, stdout, stderr } = await shardbits(args, { input: ['3939\n0'], node: ['--jitless'] });
    expect([code, stderr.replace(/^Warning: .*\n/, '')]).toEqual([0, '']);
    expect(stdout.toString()).toBe('id,client,entity\n3939,123,3\n0,0,0\n');
  });
});
