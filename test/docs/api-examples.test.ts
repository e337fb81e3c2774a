// Runs the examples in the comments of the API that need nothing but its exports, and compares the values behind them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as shardbits from '../../src/index.js';
import * as map from '../../src/map/index.js';
import * as partitioners from '../../src/partitioners/index.js';
import * as sets from '../../src/sets/index.js';
import * as wideIds from '../../src/wide-ids/index.js';
import { runExample } from '../support/examples.js';

const EXPORTS: object = { ...wideIds, ...sets, ...map, ...partitioners, ...shardbits };

/** A value as examples write it. Other comments are prose, such as `1 in 11`. */
const VALUE =
  /^(-?\d+n?|'.*'|true|false|undefined|\{ .* \}|\[.*\]|[A-Z]\w*Array \[.*\]|\d{4}-\d\d-\d\dT\S+Z|\w+Error: .*)$/;

interface Example {
  readonly place: string;
  readonly text: string;
}

/** The examples of a file that have values, with its other comments removed. */
function examplesIn(path: string): Example[] {
  const text = readFileSync(path, 'utf8');
  return Array.from(text.matchAll(/^ *\* @example\n((?: *\* (?!@).*\n)+)/gm), (found) => {
    const lines = (found[1] ?? '').split('\n').map((line) => line.replace(/^ *\* ?/, ''));
    const kept = lines.map((line) =>
      line.replace(/[ \t]*\/\/ (.*)$/, (comment, value: string) =>
        VALUE.test(value) && !value.includes('…') ? comment : '',
      ),
    );
    return { place: `${path}:${text.slice(0, found.index).split('\n').length}`, text: kept.join('\n') };
  }).filter((example) => / \/\/ /.test(example.text));
}

const examples = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => examplesIn(`src/${name}`));

/** Whether an example needs a column, a store or a file that only its reader has. */
const needsMore = (error: unknown): boolean => error instanceof ReferenceError;

it('the values in the comments of the API are what the examples give', async () => {
  let ran = 0;
  const wrong: string[] = [];
  for (const { place, text } of examples) {
    const imports = `import { ${Object.keys(EXPORTS)
      .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
      .join(', ')} } from 'shardbits';\n`;
    try {
      await runExample(imports + text, () => Promise.resolve(EXPORTS));
      ran++;
    } catch (error) {
      if (!needsMore(error)) wrong.push(`${place}: ${(error as Error).message}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(ran).toBeGreaterThan(20);
});
