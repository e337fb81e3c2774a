import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Way } from '../area.js';

/** Plain C in a separate process, which times itself: see kernels.c and partitioners.c. */
export class Native {
  readonly #source: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
  #child: ChildProcess | undefined;
  #lines: AsyncIterator<string> | undefined;
  #ns = 0;

  /** @param source a file of bench/peers */
  constructor(source = 'kernels.c') {
    this.#source = source;
  }

  /** Compiles and starts the program, and passes it the columns. Returns false without a compiler or xxhash.h. */
  start(keys: BigUint64Array, data: Uint8Array, offsets: Uint32Array): boolean {
    const program = this.#path('program');
    const compiled = spawnSync('cc', ['-O3', '-march=native', '-o', program, `bench/peers/${this.#source}`]);
    if (compiled.status !== 0) return false;
    for (const [name, column] of Object.entries({ keys, data, offsets })) writeFileSync(this.#path(name), column);
    const paths = ['keys', 'data', 'offsets', 'out'].map((name) => this.#path(name));
    const child = spawn(program, paths, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    this.#child = child;
    return true;
  }

  way(command: string, Column: typeof Uint32Array | typeof BigUint64Array, rows: number): Way {
    return {
      name: 'C, -O3 -march=native',
      run: async () => {
        this.#child?.stdin?.write(`${command}\n`);
        this.#ns = Number((await this.#lines?.next())?.value);
        const { buffer } = new Uint8Array(readFileSync(this.#path('out')));
        return [new Column(buffer, 0, rows)];
      },
      ownTime: () => this.#ns,
    };
  }

  async stop(): Promise<void> {
    if (this.#child?.exitCode === null) {
      this.#child.stdin?.end();
      await once(this.#child, 'close');
    }
    rmSync(this.#folder, { recursive: true });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}
