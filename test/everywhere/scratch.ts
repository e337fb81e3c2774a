import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build, type Format } from 'esbuild';
import { killAll, npm } from './processes.js';

/** A file of TypeScript to make one file of JavaScript from, which imports the package by its name. */
export interface Program {
  readonly from: string;
  readonly format: Format;
}

/** Works with a folder that is removed in the end; an interruption also ends what has been started. */
export async function withScratch(work: (scratch: Scratch) => Promise<void>): Promise<void> {
  const scratch = new Scratch();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killAll();
      scratch.remove();
      process.exit(1);
    });
  }
  try {
    await work(scratch);
  } finally {
    scratch.remove();
  }
}

/** A folder outside the project, with a consumer of the packed tarball in it and room for tools. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'shardbits-everywhere-'));
  /** Where shardbits is installed as anybody would, beside its peers; with the programs to run. */
  readonly app = join(this.folder, 'app');
  readonly #tools = new Map<string, Promise<string>>();
  readonly #atEnd: (() => void)[] = [];

  /** Installs the packed package beside others, and makes each program a file of `app`. */
  async prepare(programs: readonly Program[], ...packages: string[]): Promise<void> {
    const packed = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', this.folder]);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    await install(this.app, join(this.folder, filename), ...packages);
    for (const program of programs) await this.#program(program);
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

  /** Calls this before the folder is removed. */
  atEnd(action: () => void): void {
    this.#atEnd.push(action);
  }

  remove(): void {
    for (const action of this.#atEnd) action();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #program({ from, format }: Program): Promise<void> {
    await build({
      entryPoints: [from],
      outfile: join(this.app, `${basename(from, '.ts')}.${format === 'cjs' ? 'cjs' : 'mjs'}`),
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
  await npm(['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: folder });
}
