import { expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { describeWith } from '../support/programs.js';
import { COMMANDS, MAP_COMMANDS, STORE_COMMANDS } from './command-names.js';
import { offered, scriptFor } from './completions.js';

describeWith(
  'bash',
  '-c',
  'true',
)('completion in bash', () => {
  it('offers commands, options and the words of options', async () => {
    const script = await scriptFor('bash');
    expect(offered(script, '')).toEqual([...COMMANDS, '--version', '--help']);
    expect(offered(script, 'de')).toEqual(['detect', 'decode', 'demo']);
    expect(offered(script, 'inspect', '--')).toEqual(['--port', '--help']);
    expect(offered(script, 'plan', 'keys', '--strategy', '')).toEqual(['jump', 'fastrange', 'modulo']);
    expect(offered(script, 'decode', '--format', '=', 'c')).toEqual(['csv']);
    expect(offered(script, 'decode', '--format', '=')).toEqual(['tsv', 'csv', 'json']);
    expect(offered(script, 'encode', '--layout', '')).toEqual(Object.keys(layouts));
    expect(offered(script, 'decode', '--layout', '')).toEqual([...Object.keys(layouts), 'tiktok', 'slack']);
    expect(offered(script, 'decode', '--text', 'u')).toEqual(['uuid', 'ulid']);
    expect(offered(script, 'help', '')).toEqual(COMMANDS);
    expect(offered(script, 'route', '--seed', '')).toEqual([]);
    expect(offered(script, 'store', '')).toEqual(STORE_COMMANDS);
    expect(offered(script, 'store', 'c')).toEqual(['check', 'copy']);
    expect(offered(script, 'map', '')).toEqual(MAP_COMMANDS);
    expect(offered(script, 'map', 'create', '--shards', '')).toEqual([]);
    expect(offered(script, 'store', 'ddl', '--')).toEqual(['--schema', '--help']);
    expect(offered(script, 'store', 'ddl', '--schema', '')).toEqual([]);
  });
});
