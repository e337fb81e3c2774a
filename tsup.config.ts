import { copyFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const common: Options = {
  target: 'es2022',
  splitting: true, // one copy of the active backend, whichever entries are loaded, in CJS too
  treeshake: true,
  clean: false,
};

export default defineConfig([
  {
    ...common,
    entry: { index: 'src/index.ts', kernels: 'src/kernels/index.ts', node: 'src/node/index.ts' },
    format: ['esm', 'cjs'],
    dts: true,
    noExternal: ['@assemblyscript/loader'],
    onSuccess: async () => copyFileSync('build/core.wasm', 'dist/core.wasm'),
  },
  {
    ...common,
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    // The command line's own libraries are bundled: installing shardbits installs nothing else.
    noExternal: ['commander', 'cli-progress', 'fastest-levenshtein'],
    // cli-progress is CommonJS and requires node's modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  },
]);
