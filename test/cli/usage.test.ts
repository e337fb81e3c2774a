import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type Layout, layouts, SnowflakeGenerator } from '../../src/index.js';
import { runHere } from '../support/run-here.js';
import { COMMANDS, MAP_COMMANDS, STORE_COMMANDS } from './command-names.js';

describe('bad usage exits with 2 and says what would be right', () => {
  it.each<[args: string[], stderr: RegExp]>([
    [['rout'], /unknown command 'rout'\n\(Did you mean route\?\)/],
    [['route', '--shard', '3'], /unknown option '--shard'\n\(Did you mean --shards\?\)/],
    [['route'], /^error: --shards is required\n$/],
    [['route', '--shards', '0'], /^error: --shards: expected an integer from 1 to 2147483647, got 0\n$/],
    [['route', '--shards', '2147483648'], /--shards: expected an integer from 1 to 2147483647, got 2147483648/],
    [['route', '--shards', 'ten'], /^error: --shards: expected a whole number, got "ten"\n$/],
    [['route', '--shards', '1e3'], /--shards: expected a whole number, got "1e3"/],
    [
      ['route', '--shards', '3', '--strategy', 'jmp'],
      /--strategy: expected one of jump, fastrange, modulo, got "jmp" \(Did you mean jump\?\)/,
    ],
    [['route', '--shards', '3', '--format', 'tvs'], /\(Did you mean tsv\?\)/],
    [['route', '--shards', '3', '--keys', 'U64'], /\(Did you mean u64\?\)/],
    [['route', '--shards', '3', '--seed', '1.5'], /--seed: expected a decimal or 0x… integer, got "1.5"/],
    [['route', '--shards', '3', '--down', '3'], /^error: --down: expected an integer from 0 to 2, got 3\n$/],
    [
      ['route', '--shards', '2', '--down', '0,1'],
      /^error: --down: expected at least one shard to be up, got \[0,1\]\n$/,
    ],
    [['route', '--shards', '3', '--hash', 'none'], /--hash none requires --keys u64/],
    [
      ['route', '--shards', '3', '--out', 'a', '--summary'],
      /expected only one of --out, --out-dir and --summary, got --out and --summary\n/,
    ],
    [
      ['route', '--shards', '3', '--out', 'a', '--out-dir', 'b', '--summary'],
      /got --out and --out-dir and --summary\n/,
    ],
    [['route', '--shards', '3', '--threads', '0'], /^error: --threads: expected an integer from 1 to 256, got 0\n/],
    [['decode', '--layout', 'a:5n', '1'], /^error: --layout: expected .*, got "a:5n"\n/],
    [
      ['route', '--shards', '3', '--format', 'u32', '--summary'],
      /^error: --format cannot be combined with --out-dir or --summary\n$/,
    ],
    [['route', '--shards', '99999999', '--summary'], /--summary: expected at most 16777216 shards/],
    [['route', '--shards', '3', '--out', ''], /--out: expected a path, got ""/],
    [['decode', '1', '--layout', 'id:10,date:5'], /--layout: expected fields other than id and date, got id/],
    [
      ['encode', '--layout', 'mastodon', 'tail=0', 'timestamp=-5'],
      /timestamp: expected a whole number or a date that exists, such as .*, got "-5"/,
    ],
    [['encode', '--layout', 'mastodon', 'tail=0', 'timestamp=apples 5'], /got "apples 5"/],
    [['decode', '1', '--layout', 'twitter', '--epoch', 'foo 7'], /--epoch: expected a date that exists, such as/],
    [['plan', '--from', '3'], /^error: --to is required\n$/],
    [['hash', '--format', 'hexx'], /\(Did you mean hex\?\)/],
    [['decode', '1', '--epoch', '0'], /^error: --epoch requires --layout\n$/],
    [['decode', '--layout', 'snowflake', 'x', '1'], /^error: "x" is neither an id nor a file\n$/],
    [['decode', '--layout', 'snowflake', '1', ''], /^error: "" is neither an id nor a file\n$/],
    [['decode', '--layout', 'snowflake', '1\n2'], /^error: "1\\n2" is neither an id nor a file\n$/],
    [['decode', '--layout', 'snowflake', '18446744073709551616'], /^error: "18446744073709551616" is neither an id/],
    [['decode', '--layout', 'snowflake', '+1'], /^error: "\+1" is neither an id nor a file\n$/],
    [['encode', '--layout', 'pinterest', 'shard=1', 'package.json'], /expected files or field=value, got both/],
    [['encode', '--layout', 'pinterest', 'no-such-file'], /got "no-such-file", which is not a file either\n$/],
    [['encode', '--layout', 'pinterest', './shard=1'], /got "\.\/shard=1", which is not a file either\n$/],
    [['route', '--shards', '3', '--json'], /^error: --json requires --summary\n$/],
    [
      ['route', '--shards', '3', 'package.json', '--out', 'package.json'],
      /^error: --out: expected another file than the/,
    ],
    [['hash', 'package.json', '--out', './package.json'], /^error: --out: expected another file than the input, got/],
    [['plan', '--from', '1', '--to', '2', 'package.json', '--out', 'package.json'], /^error: --out: expected another/],
    [['decode', '--layout', 'snowflake', './package.json', '--out', 'package.json'], /^error: --out: expected another/],
    [['encode', '--layout', 'snowflake', './package.json', '--out', 'package.json'], /^error: --out: expected another/],
    [['intern', '--store', 'ids.db', 'package.json', '--out', 'package.json'], /^error: --out: expected another file/],
    [['intern', '--store', 'package.json', 'README.md', '--out', 'package.json'], /^error: --out: expected another/],
    [
      ['mint', '--shard', '1', '--high-water', 'package.json', '--out', 'package.json'],
      /^error: --out: expected another/,
    ],
    [
      ['decode', '--layout', 'snowflake', './package.json', '--rejects', 'package.json'],
      /^error: --rejects: expected an/,
    ],
    [
      ['decode', '--layout', 'snowflake', '1', '--rejects', 'a', '--out', './a'],
      /^error: --rejects: expected another file/,
    ],
    [['decode', '--layout', 'snowflake', '1', '--rejects', '-'], /^error: --rejects: expected another file than --out/],
    [['decode', '1', '--layout', 'snowflak'], /got "snowflak" \(Did you mean snowflake\?\)/],
    [['decode', '1', '--layout', 'a:60,b:5'], /^error: --layout: expected at most 64 bits in all, got 65\n$/],
    [['decode', '1', '--layout', 'a:b'], /^error: --layout: expected fields as name:bits/],
    [['decode', '1', '--layout', 'pinterest', '--epoch', '2020'], /--epoch: expected a layout with a timestamp field/],
    [['decode', '1', '--layout', 'twitter', '--epoch', 'x'], /--epoch: expected a date that exists, such as/],
    [
      ['encode', '--layout', 'pinterest', 'shrd=1'],
      /expected one of shard, type, local, got "shrd" \(Did you mean shard\?\)/,
    ],
    [['encode', '--layout', 'pinterest', 'shard=1'], /expected a value for type, local, got none/],
    [
      ['encode', '--layout', 'pinterest', 'shard=65536', 'type=1', 'local=1'],
      /^error: shard: expected an integer from 0 to 65535, got 65536\n$/,
    ],
    [['encode', '--layout', 'pinterest', 'shard=1', 'shard=2'], /shard: expected one value, got two/],
    [['encode', '--layout', 'pinterest', 'shard'], /expected field=value, got "shard"/],
    [['leases'], /^error: --store is required\n$/],
    [
      ['leases', '--store', 'ids.db', '--release', '1', '--reset-mark', '1'],
      /expected one of --release and --reset-mark/,
    ],
    [
      ['leases', '--store', 'ids.db', '--release', '1048576'],
      /--release: expected an integer from 0 to 1048575, got 104857/,
    ],
    [
      ['leases', '--store', 'ids.db', '--release', '1'],
      /--release asks .* standard input is not a terminal; add --yes/,
    ],
    [['leases', '--store', 'postgers://host/db'], /got "postgers:\/\/host\/db" \(Did you mean postgres\?\)/],
    [['leases', '--store', 'x://me:secret@host'], /got "x:\/\/me@host"/],
    [['store'], /^Usage: shardbits store/],
    [['store', 'check'], /missing required argument 'store'/],
    [['store', 'check', ''], /^error: STORE: expected a path such as ids.db/],
    [['store', 'check', ':memory:'], /^error: STORE: expected a path such as ids.db/],
    [['store', 'copy', 'ids.db', 'etcd://'], /^error: TO: expected .*, got "etcd:\/\/"\n$/],
    [
      ['store', 'check', 'redis://host'],
      /^error: STORE: expected a path such as ids.db \(SQLite\), .*"redis:\/\/host"/,
    ],
    [['store', 'check', 'etcd://host:port'], /^error: expected a path .*, got "etcd:\/\/host:port"\n$/],
    [
      ['store', 'check', 'postgres://me:secret@host:port/db'],
      /^error: expected .*, got "postgres:\/\/me@host:port\/db"\n$/,
    ],
    [['store', 'check', 'postgres://me:sec/ret@host/db'], /^error: expected .*, got "postgres:\/\/me@host\/db"\n$/],
    [['store', 'check', 'postgres://me:sec@ret@host:x'], /^error: expected .*, got "postgres:\/\/me@host:x"\n$/],
    [['store', 'check', 'postgres://me@there:secret@host:x'], /^error: .*, got "postgres:\/\/me@there@host:x"\n$/],
    [['store', 'copy', 'ids.db', 'other.db', 'more'], /too many arguments/],
    [['store', 'copy', 'ids.db', 'ids.db'], /^error: TO: expected another store than FROM, got the same\n$/],
    [
      ['store', 'backup', 'postgres://host/db', 'b.db'],
      /PostgreSQL has its own backup: use pg_dump, or shardbits store copy/,
    ],
    [
      ['store', 'backup', 'etcd://host:2379', 'b.db'],
      /etcd has its own backup: use etcdctl snapshot save, or shardbits/,
    ],
    [['store', 'backup', 'ids.db', 'etcd://host:2379'], /FILE: expected the name of a file, got "etcd:\/\/host:2379"/],
    [['store', 'skip-ahead', 'ids.db'], /skip-ahead asks .* standard input is not a terminal; add --yes/],
    [['demo', '--keys', '0'], /--keys: expected 1 to 50000000, got 0/],
    [['vectors', '--keys', '0'], /^error: --keys: expected 1 to 1000000, got 0\n$/],
    [['vectors', '--keys', 'text'], /^error: --keys: expected a whole number, got "text"\n$/],
  ])('%j', async (args, stderr) => {
    const run = await runHere(args);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
    expect(run.stdout.length).toBe(0);
  });
});

describe('what is misspelt exits with 2 and the nearest word', () => {
  const misspelt = (word: string) => `${word.slice(0, -2)}${word.slice(-1)}`;

  it.each(COMMANDS)('%s', async (command) => {
    const wrong = misspelt(command);
    const nearest = expect.stringContaining(`(Did you mean ${command}?)`);
    expect(await runHere([wrong])).toMatchObject({ code: 2, stderr: nearest });
    expect(await runHere(['help', wrong])).toMatchObject({ code: 2, stderr: nearest });
  });

  it.each(STORE_COMMANDS)('store %s', async (command) => {
    const wrong = misspelt(command);
    const nearest = expect.stringContaining(`(Did you mean ${command}?)`);
    expect(await runHere(['store', wrong])).toMatchObject({ code: 2, stderr: nearest });
    expect(await runHere(['help', 'store', wrong])).toMatchObject({ code: 2, stderr: nearest });
  });

  it.each([...COMMANDS, ...STORE_COMMANDS.map((name) => `store ${name}`)])('the options of %s', async (command) => {
    const help = (await runHere([...command.split(' '), '--help'])).stdout.toString();
    const options = [...help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(options.length).toBeGreaterThan(0);
    for (const option of options.filter((name) => !options.includes(misspelt(name)))) {
      const run = await runHere([...command.split(' '), misspelt(option)]);
      expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(`\\(Did you mean .*${option}.*\\?\\)`) });
      expect(run.stdout.length).toBe(0);
    }
  });
});

describe('what cannot be read, written or understood exits with 1', () => {
  it.each<[args: string[], stderr: string]>([
    [['route', '--shards', '3', 'no-such-file'], 'error: no-such-file: no such file or directory\n'],
    [['route', '--shards', '3', '/'], 'error: /: illegal operation on a directory\n'],
    [
      ['route', '--shards', '3', '--out', '/no/such/folder/out'],
      'error: /no/such/folder/out: no such file or directory\n',
    ],
    [
      ['decode', '--layout', 'snowflake', '9223372036854775808'],
      'error: argument 1: expected an id of at most 63 bits, got 9223372036854775808\n',
    ],
    [
      ['decode', '--layout', 'ragedb', '67108864'],
      'error: argument 1: expected an id whose type is at least 1, got 67108864\n',
    ],
  ])('%j', async (args, stderr) => {
    const run = await runHere(args, { input: ['a\n'] });
    expect(run).toMatchObject({ code: 1, stderr });
    expect(run.stdout.length).toBe(0);
  });

  it('a full disk', async () => {
    const run = await runHere(['route', '--shards', '3', '--out', '/dev/full'], { input: ['a\n'] });
    expect(run).toMatchObject({ code: 1, stderr: 'error: /dev/full: no space left on device\n' });
  });

  it('bad ids in a stream, with their line', async () => {
    const run = await runHere(['decode', '--layout', 'ragedb'], { input: [`${'70000\n'.repeat(20_000)}12\n`] });
    expect(run).toMatchObject({ code: 1, stderr: 'error: -:20001: expected an id whose type is at least 1, got 12\n' });
  });
});

describe('help', () => {
  it('lists exactly the presets that can mint', async () => {
    const { stdout } = await runHere(['help', 'mint']);
    const [, listed = ''] = /--layout <name\|spec>(.*?), or fields/s.exec(stdout.toString()) ?? [];
    const canMint = ([, layout]: [string, Layout]) => {
      try {
        return new SnowflakeGenerator({ layout, shard: 1 }).next() > 0n;
      } catch {
        return false;
      }
    };
    const names = Object.entries(layouts)
      .filter(canMint)
      .map(([name]) => name);
    expect(listed.trim().split(/,\s+/)).toEqual(names);
  });

  it('is what a bare command gives', async () => {
    const bare = await runHere([]);
    expect(bare).toMatchObject({ code: 0, stderr: '' });
    expect(bare.stdout.toString()).toMatch(/^Usage: shardbits/);
    expect((await runHere(['--help'])).stdout).toEqual(bare.stdout);
  });

  it.each([
    ...COMMANDS,
    ...MAP_COMMANDS.map((name) => `map ${name}`),
    ...STORE_COMMANDS.map((name) => `store ${name}`),
  ])('has an example, with --help and as help COMMAND: %s', async (command) => {
    const { code, stdout } = await runHere([...command.split(' '), '--help']);
    expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^Usage: [\s\S]*\nExamples?:\n {2}/)]);
    expect(await runHere(['help', ...command.split(' ')])).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('shows in the list of commands what each takes', async () => {
    const list = (await runHere(['--help'])).stdout.toString();
    for (const command of COMMANDS) {
      const own = /^Usage: shardbits (.*)$/m.exec((await runHere([command, '--help'])).stdout.toString())?.[1] ?? '';
      const listed = new RegExp(`^  (${command}\\b.*?)  `, 'm').exec(list)?.[1];
      const takes = (usage = '') => usage.replace(/ \[options\]| <command>/g, '').trim();
      expect(takes(listed)).toBe(takes(own));
    }
  });

  it('without a command is that of all', async () => {
    const { stdout } = await runHere(['--help']);
    expect(await runHere(['help'])).toEqual({ code: 0, stdout, stderr: '' });
    const listed = [...stdout.toString().matchAll(/^ {2}([a-z]+) .*$/gm)].map(([, name]) => name);
    expect(listed.filter((name) => name !== 'shardbits')).toEqual(COMMANDS);
  });

  it('tells the version of the package', async () => {
    expect((await runHere(['--version'])).stdout.toString()).toBe(`${manifest.version}\n`);
  });
});
