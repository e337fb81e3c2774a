// In Node, Bun and Deno, as an ES module and as CommonJS.
import { readFileSync } from 'node:fs';
import { commandLine, files, filesInUse, namesOfFiles } from './node.js';
import { peers } from './peers.js';
import { portable } from './portable.js';
import { report } from './report.js';
import { stores } from './stores.js';

const { Bun, Deno } = globalThis as { Bun?: { version: string }; Deno?: { version: { deno: string } } };
// An emulator runs this alone. It has to be named for children.
const emulator = process.env.EMULATOR?.split(' ') ?? [];
const runtime = [...emulator, process.execPath, ...(Deno ? ['run', '--allow-all'] : [])];

report(() =>
  portable(
    Bun?.version ?? Deno?.version.deno ?? process.versions.node,
    () => readFileSync('node_modules/shardbits/dist/core.wasm'),
    async (checks) => {
      await peers(checks);
      await files(checks);
      await filesInUse(checks);
      await namesOfFiles(checks);
      await stores(checks);
      commandLine(checks, ...runtime);
    },
  ),
);
