import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PINS } from '../pins.js';
import { freePort } from '../ports.js';
import { run, start, stop } from '../processes.js';
import { outcomeOf, type Row } from '../row.js';

// What `wrangler dev` makes of a worker: one file, with WebAssembly modules beside it.
const CONFIG = `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (
    services = [(name = "main", worker = .worker)],
    sockets = [(name = "http", http = (), service = "main")],
  );
  const worker :Workerd.Worker = (
    modules = [
      (name = "worker.mjs", esModule = embed "worker.mjs"),
      (name = "core.wasm", wasm = embed "core.wasm"),
      (name = "records.wasm", wasm = embed "records.wasm"),
      (name = "partitioners.wasm", wasm = embed "partitioners.wasm"),
    ],
    compatibilityDate = "2025-01-01",
  );`;

export const workerd: Row = {
  name: 'workerd (Cloudflare)',
  backend: 'wasm',
  run: async (scratch) => {
    const tools = await scratch.tool(`workerd@${PINS.workerd}`, `esbuild@${PINS.esbuild}`);
    const folder = scratch.room('worker');
    const options = ['--bundle', '--format=esm', '--conditions=workerd,worker,browser', '--log-level=error'];
    const copied = ['--loader:.wasm=copy', '--asset-names=[name]', `--outdir=${folder}`];
    const entry = `worker=${join(scratch.app, 'in-workerd.mjs')}`;
    await run(join(tools, 'node_modules/.bin/esbuild'), [entry, '--out-extension:.js=.mjs', ...options, ...copied]);
    writeFileSync(join(folder, 'config.capnp'), CONFIG);

    const at = `127.0.0.1:${await freePort()}`;
    const program = join(tools, 'node_modules/.bin/workerd');
    const server = start(program, ['serve', 'config.capnp', `--socket-addr=http=${at}`], { cwd: folder });
    let said = '';
    server.stderr?.on('data', (chunk) => (said += chunk));
    try {
      for (let left = 200; ; left--) {
        const response = await fetch(`http://${at}/`).catch(() => undefined);
        if (response?.ok) return { ...outcomeOf(await response.text()), version: PINS.workerd };
        if (response || left === 0 || server.exitCode !== null) throw new Error(said);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      await stop(server);
    }
  },
};
