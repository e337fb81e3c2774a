import { run } from '../../test/everywhere/processes.js';
import { outcomeOf } from '../../test/everywhere/row.js';
import { BROWSERS, inBrowser } from '../../test/everywhere/rows/browsers.js';
import { bunOrDeno, node } from '../../test/everywhere/runtimes.js';
import type { Scratch } from '../../test/everywhere/scratch.js';
import type { Timed } from './measure.js';

const FILE = 'program.mjs';

/** A runtime or a browser, with its JavaScript engine. */
export interface Engine {
  readonly name: string;
  readonly javascript: 'V8' | 'JavaScriptCore' | 'SpiderMonkey';
  run(scratch: Scratch): Promise<Timed>;
}

const nodes = ([24, 20, 26] as const).map(
  (major): Engine => ({
    name: `Node ${major}`,
    javascript: 'V8',
    run: async (scratch) => outcomeOf(await run(await node(scratch, major), [FILE], { cwd: scratch.app })),
  }),
);

const others = (
  [
    ['Bun', 'bun', 'JavaScriptCore'],
    ['Deno', 'deno', 'V8'],
  ] as const
).map(
  ([name, program, javascript]): Engine => ({
    name,
    javascript,
    run: async (scratch) => {
      const [command, ...args] = await bunOrDeno(scratch, program);
      return outcomeOf(await run(command, [...args, FILE], { cwd: scratch.app }));
    },
  }),
);

const browsers = (
  [
    ['Chromium', 'V8'],
    ['Firefox', 'SpiderMonkey'],
    ['WebKit', 'JavaScriptCore'],
  ] as const
).map(
  ([name, javascript]): Engine => ({
    name,
    javascript,
    run: (scratch) => inBrowser(BROWSERS[name], scratch, scratch.app, FILE),
  }),
);

export const ENGINES: readonly Engine[] = [...nodes, ...others, ...browsers];
