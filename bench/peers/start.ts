import { execFileSync } from 'node:child_process';
import type { Area, Way } from '../area.js';

/** The time from nothing to the first hash. Each run is a new process that measures itself. */
export function* start(): Iterable<Area> {
  const area = (name: string, title: string, ways: Way[]): Area => {
    return { name: `start-${name}`, title, rows: 1, bytesPerRow: 0, ways };
  };
  yield area('esm', 'import and first xxh64, ES modules', [
    starting('shardbits', '.', 'module', "const { xxh64 } = await import('shardbits'); xxh64('abc');"),
    starting(
      'xxhash-wasm',
      'bench/peers',
      'module',
      "const { default: start } = await import('xxhash-wasm'); (await start()).h64('abc');",
    ),
  ]);
  yield area('commonjs', 'require and first xxh64, CommonJS', [
    starting('shardbits', '.', 'commonjs', "require('shardbits').xxh64('abc');"),
    starting('xxhash-wasm', 'bench/peers', 'commonjs', "(await require('xxhash-wasm')()).h64('abc');"),
  ]);
}

function starting(name: string, cwd: string, type: 'module' | 'commonjs', code: string): Way {
  const program = `(async () => {
    const from = process.hrtime.bigint();
    ${code}
    console.log(String(process.hrtime.bigint() - from));
  })();`;
  let ns = 0;
  return {
    name,
    run() {
      ns = Number(execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], { cwd }));
      return undefined;
    },
    ownTime: () => ns,
  };
}
