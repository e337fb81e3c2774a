import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { describeWith } from '../support/programs.js';
import { runHere } from '../support/run-here.js';
import { COMMANDS, MAP_COMMANDS, STORE_COMMANDS } from './command-names.js';

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

describeWith(
  'bash',
  '-c',
  'true',
)('completion in bash', () => {
  function offered(script: string, ...words: string[]): string[] {
    const program = `${script}
compopt() { COMPREPLY=("compopt $*"); }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shardbits; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', program, 'bash', 'shardbits', ...words], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('offers commands, options and the words of options', async () => {
    const script = await scriptFor('bash');
    expect(offered(script, '')).toEqual([...COMMANDS, '--version', '--help']);
    expect(offered(script, 'de')).toEqual(['detect', 'decode', 'demo']);
    expect(offered(script, 'inspect', '--')).toEqual(['--port', '--help']);
    expect(offered(script, 'plan', 'keys', '--strategy', '')).toEqual(['jump', 'fastrange', 'modulo']);
    expect(offered(script, 'decode', '--format', '=', 'c')).toEqual(['csv']);
    expect(offered(script, 'decode', '--format', '=')).toEqual(['tsv', 'csv', 'json']);
    expect(offered(script, 'encode', '--layout', '')).toEqual(Object.keys(layouts));
    expect(offered(script, 'decode', '--layout', '')).toEqual([...Object.keys(layouts), 'tiktok']);
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
