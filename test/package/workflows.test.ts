// The workflows of GitHub, which nobody runs here, and `.ci/run`: they name what is there, and run the same.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { PURE } from '../support/kinds.js';

/** A file without its comments, which the workflows and the shell write alike. */
const withoutComments = (path: string): string => readFileSync(path, 'utf8').replace(/(^|\s)#( .*|)$/gm, '');

const CI = withoutComments('.github/workflows/ci.yml');
const RELEASE = withoutComments('.github/workflows/release.yml');
const RUN = withoutComments('.ci/run');
const FILES = [
  ['.github/workflows/ci.yml', CI],
  ['.github/workflows/release.yml', RELEASE],
  ['.ci/run', RUN],
] as const;

const EVERYTHING = jobOf(CI, 'everything');

/** The lines of a job. */
function jobOf(workflow: string, name: string): string {
  const [, job] = new RegExp(`\\n  ${name}:\\n((?: {3}.*\\n|\\s*\\n)+)`).exec(workflow) ?? [];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  return job;
}

const matches = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, found = '']) => found);

/** What npm is to do and what is copied, with the variables before it. */
const commandsIn = (text: string): string[] =>
  matches(
    text,
    /((?:\b\w+=[\w-]+ )*\b(?:npm (?:run|test|ci|cit|install|publish|audit)\b|npx |cp -)[^\n;|&>'")]*)/g,
  ).map((command) => command.trim());

describe.each(FILES)('%s', (_, text) => {
  it('runs scripts that package.json has', () => {
    const names = matches(text, /\bnpm run ([\w:-]+)/g);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });

  it('runs programs of development dependencies', () => {
    const packages = [manifest, ...Object.keys(manifest.devDependencies).map(installed)];
    const programs = packages.flatMap(({ name, bin = {} }) => (typeof bin === 'string' ? [name] : Object.keys(bin)));
    const names = matches(text, /\bnpx (?:--?\S+ )*([\w-]+)/g);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !programs.includes(name))).toEqual([]);
  });

  it('names files and folders that are there', () => {
    // Not those that are made: build/, dist/, node_modules/ and what npm installs there.
    const paths = matches(text, /(?<![\w./-])((?:\.ci|\.github|assembly|bench|docs|src|test)\/[\w./-]*\w)/g);
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(path) && !existsSync(`${path}.long.test.ts`))).toEqual([]);
  });
});

function installed(name: string): { readonly name: string; readonly bin?: string | object } {
  return JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
}

describe('the job `everything` and .ci/run', () => {
  it('have the same steps', () => {
    const steps = matches(RUN, /^step '(.*)'$/gm).filter((name) => name !== 'done');
    expect(steps.length).toBeGreaterThan(5);
    expect(matches(EVERYTHING, /^ +- name: '(.*)'$/gm)).toEqual(steps);
  });

  it('run the same commands in the same order', () => {
    const commands = commandsIn(RUN);
    expect(commands.length).toBeGreaterThan(15);
    expect(commandsIn(EVERYTHING)).toEqual(commands);
  });

  it('install the same packages, and compare as many rows', () => {
    for (const text of [RUN, EVERYTHING])
      expect(text).toMatch(/sed "s\/#\.\*\/\/" \.ci\/packages \| xargs apt-get install/);
    const rows = matches(RUN, /\bROWS=(\d+)/g);
    expect(rows).toHaveLength(1);
    expect(matches(EVERYTHING, /\bROWS: (\d+)/g)).toEqual(rows);
  });
});

it('.ci/packages names every package once', () => {
  const packages = withoutComments('.ci/packages').split(/\s+/).filter(Boolean);
  expect(packages.length).toBeGreaterThan(30);
  expect(packages.filter((name, i) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name) || packages.indexOf(name) !== i)).toEqual(
    [],
  );
});

it('the job `package` has every folder of tests that need only JavaScript', () => {
  const folders = PURE.flatMap((glob) => matches(glob, /^test\/\{?([\w,-]+)/g).flatMap((names) => names.split(',')));
  expect(folders).toContain('hash');
  expect(folders).toContain('map');
  const tested = matches(jobOf(CI, 'package'), /\btest\/([\w-]+)/g);
  expect(folders.filter((name) => !tested.includes(name))).toEqual([]);
});

describe('the versions', () => {
  it('of Node are every even one from `engines` to that of the release', () => {
    const oldest = Number(/^>=(\d+)$/.exec(manifest.engines.node)?.[1]);
    const newest = Number(/node-version: (\d+)/.exec(RELEASE)?.[1]);
    const versions = [];
    for (let major = oldest; major <= newest; major += 2) versions.push(major);
    expect(versions.length).toBeGreaterThan(1);
    expect(matches(CI, / node: (\[.*\])/g).map((list) => JSON.parse(list))).toEqual([versions, versions]);
    expect(matches(CI, /image: node:(\d+)-/g)).toEqual([String(oldest)]);
    expect(matches(RELEASE, /image: node:(\d+)-/g)).toEqual([String(newest)]);
  });

  it('of each action are the same everywhere, and major ones', () => {
    const used = [...new Set(matches(CI + RELEASE, /\buses: (\S+)/g))];
    expect(used.map((action) => action.replace(/@v\d+$/, '')).sort()).toEqual([
      'actions/checkout',
      'actions/setup-node',
    ]);
  });
});

it('only the job that publishes may do more than read', () => {
  expect(matches(CI + RELEASE, /^( *permissions:(?:\n +[\w-]+: [\w-]+)+)/gm)).toEqual([
    'permissions:\n  contents: read',
    'permissions:\n  contents: read',
    '    permissions:\n      contents: read\n      id-token: write',
  ]);
  expect(jobOf(RELEASE, 'publish')).toContain('id-token: write');
});

describe('the scripts of package.json need no shell of a Unix', () => {
  const problemsIn = (script: string): string[] => {
    const bare = script.replace(/"(?:\\.|[^"\\])*"/g, '""'); // cmd.exe knows double quotes
    return [...bare.matchAll(/(?<=^|&&)\s*(?:\w+=|(?:cat|cp|export|ls|mkdir|mv|rm|sed|sh|test|touch) )|[';]/g)]
      .concat([...script.matchAll(/[$`%]/g)])
      .map(([found]) => found.trim());
  };

  it.each(Object.entries(manifest.scripts))('%s', (_, script) => {
    expect(problemsIn(script)).toEqual([]);
  });

  it.each([
    'ROWS=5 node a.js',
    'node a.js && ROWS=5 node b.js',
    "vitest 'test/a b'",
    'node $HOME/a.js',
    'node "$HOME/a.js"',
    'node a.js; node b.js',
    'node `which a`',
    'rm -rf dist',
    'tsup && cp a b',
    'mkdir -p a',
    'export A=1',
    'cat a',
  ])('%s would be noticed', (script) => {
    expect(problemsIn(script)).not.toEqual([]);
  });
});
