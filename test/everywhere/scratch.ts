import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Format } from 'esbuild';
import { PINS } from './pins.js';
import { run } from './processes.js';

/** A folder outside the project, with a consumer of the packed tarball in it and room for tools. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'shardbits-everywhere-'));
  /** Where shardbits is installed as anybody would, beside its peers; with the programs to run. */
  readonly app = join(this.folder, 'app');
  readonly #tools = new Map<string, Promise<string>>();

  async prepare(): Promise<void> {
    const packed = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', this.folder]);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    const peers = (['apache-arrow', 'roaring-wasm'] as const).map((name) => `${name}@${PINS[name]}`);
    await install(this.app, join(this.folder, filename), ...peers);
    await this.#program('on-a-server', 'esm');
    await this.#program('on-a-server', 'cjs');
    for (const name of ['in-a-page', 'bundled', 'in-workerd']) await this.#program(name, 'esm');
  }

  /** Where npm packages are installed in a folder of their own, which rows share. */
  tool(...packages: string[]): Promise<string> {
    const folder = join(this.folder, `tool-${this.#tools.size}`);
    const known = this.#tools.get(packages.join()) ?? install(folder, ...packages).then(() => folder);
    this.#tools.set(packages.join(), known);
    return known;
  }

  /** A new, empty folder. */
  room(name: string): string {
    return mkdtempSync(join(this.folder, `${name}-`));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A program of program/, as one file of JavaScript that imports the package by its name. */
  async #program(name: string, format: Format): Promise<void> {
    await build({
      entryPoints: [resolve(import.meta.dirname, 'program', `${name}.ts`)],
      outfile: join(this.app, `${name}.${format === 'cjs' ? 'cjs' : 'mjs'}`),
      bundle: true,
      format,
      target: 'es2022',
      external: ['shardbits', 'apache-arrow', 'node:*'],
      logLevel: 'error',
    });
  }
}

async function install(folder: string, ...packages: string[]): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: folder });
}
