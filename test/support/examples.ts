// Runs the examples of a page in docs/, and compares what they give with what the page says.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli.js';
import { runHere } from './run-here.js';

/** Modules by the names that the examples import them by. */
export interface Modules {
  readonly [name: string]: () => Promise<object>;
}

const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...args: unknown[]) => Promise<void>;

/** A block as plain JavaScript. A comment after a statement of one line says what the statement gives. */
function asFunction(block: string): (...args: unknown[]) => Promise<void> {
  const lines = block.split('\n').map((line) => {
    const [, names, module] = /^import (\{.*\}) from '(.*)';$/.exec(line) ?? [];
    if (module !== undefined) return `const ${names} = await load('${module}');`;
    const [, statement, result] = /^(.*);\s*\/\/ (.*)$/.exec(line) ?? [];
    return result === undefined ? line : `compare(${JSON.stringify(result)}, ${statement});`;
  });
  return new AsyncFunction('load', 'compare', lines.join('\n'));
}

/** A value as the examples write it: arrays without their length. */
const shown = (value: unknown): string =>
  inspect(value, { breakLength: Number.POSITIVE_INFINITY })
    .replace(/\(\d+\)/, '')
    .replace(/\[ (.*) \]$/, '[$1]');

/** The tests of a page: every block in TypeScript, and the commands in the order in which they stand. */
export function testExamples(path: string, modules: Modules): void {
  const text = readFileSync(path, 'utf8');
  const blocks = (language: string): string[] =>
    Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')), ([, block = '']) => block);

  describe(`the examples of ${path}`, () => {
    it.each(
      blocks('ts').map((block) => [/^.*;\s*\/\/.*$/m.exec(block)?.[0].replace(/ +/g, ' '), block] as const),
    )('in TypeScript: %s', async (_, block) => {
      expect.hasAssertions();
      const load = (name: string) => modules[name]?.();
      await asFunction(block)(load, (result: string, value: unknown) => {
        expect(shown(value)).toBe(result);
      });
    });

    if (!text.includes('```sh')) return;
    it('on the command line', async () => {
      const folder = temporaryFolder();
      const commands = blocks('sh').flatMap((block) => block.split(/^\$ /m).slice(1));
      expect(commands).not.toEqual([]);
      for (const lines of commands) {
        const [command = '', output = ''] = lines.split(/\n([\s\S]*)/);
        const [, call = '', file] = /^(.*?)(?: > (\S+))?$/.exec(command) ?? [];
        const [program = '', ...args] = call.split(' ');
        expect(['cat', 'shardbits']).toContain(program);
        if (program === 'cat') {
          writeFileSync(join(folder, ...args), output);
          continue;
        }
        const { stdout, stderr } = await runHere(args, { cwd: folder });
        if (file !== undefined) writeFileSync(join(folder, file), stdout);
        // A terminal shows both; of what goes to a file, it shows the messages.
        expect([command, (file === undefined ? String(stdout) : '') + stderr]).toEqual([command, output]);
      }
    });
  });
}
