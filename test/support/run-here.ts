import { createHook } from 'node:async_hooks';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { run } from '../../src/cli/program.js';
import type { Run, RunOptions } from './cli.js';

// The sockets of stores that other files have closed may come and go in this process: grpc-js goes on connecting for a while
// after its channel is closed.
const OF_NETWORK = ['TCPSocketWrap', 'ConnectWrap', 'GetAddrInfoReqWrap'];

const PATIENCE_MS = 2000; // closed resources may take a moment to disappear

let isRunning = false;

/**
 * Runs a command line in this process, from its sources. For tests that are not about a process, this is 20 times as fast as
 * `shardbits`. There is no terminal, and only the given standard input.
 * @throws Error if the command reads standard input that was not given, or leaves something behind in this process
 */
export async function runHere(args: string[], { input, cwd }: Pick<RunOptions, 'input' | 'cwd'> = {}): Promise<Run> {
  if (isRunning) throw new Error('one command line at a time: its streams are those of the process');
  isRunning = true;
  const [stdin, stdout, stderr] = [new Input(input), new Output(), new Output()];
  const before = [settings(), process.getActiveResourcesInfo()] as const;
  const putBack = [replace('stdin', stdin), replace('stdout', stdout), replace('stderr', stderr)];
  const [folder, { emitWarning }] = [process.cwd(), process];
  if (cwd !== undefined) process.chdir(cwd);
  let code: number;
  try {
    code = await run(args);
  } finally {
    process.chdir(folder);
    for (const put of putBack) put();
    process.emitWarning = emitWarning; // the command replaces it, to hide the warning about SQLite
    isRunning = false;
  }
  if (stdin.isMissed) throw new Error('the command reads standard input: give it some, or run it as a process');
  const ignored = args.some((arg) => arg.includes('://')) ? [] : OF_NETWORK;
  await checkNothingIsLeft(...before, ignored);
  return { code, stdout: stdout.bytes(), stderr: stderr.bytes().toString() };
}

/** Standard input in pieces, each read by itself. */
class Input extends Readable {
  /** Whether it was read although it was not given. */
  isMissed = false;
  readonly #pieces: Iterator<string | Uint8Array> | undefined;

  constructor(pieces: Iterable<string | Uint8Array> | undefined) {
    super({ highWaterMark: 1 }); // with more, waiting pieces would be read together
    this.#pieces = pieces?.[Symbol.iterator]();
  }

  override _read(): void {
    this.isMissed = this.#pieces === undefined;
    const { value, done } = this.#pieces?.next() ?? { done: true };
    this.push(done ? null : value);
  }
}

class Output extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk)); // a copy, because the writer may use the memory again
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** @returns a function that restores the original stream */
function replace(name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): () => void {
  const there = Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor;
  Object.defineProperty(process, name, { configurable: true, enumerable: true, value: stream });
  return () => Object.defineProperty(process, name, there);
}

/** The state of this process that a command may change: its listeners and its exit code. */
function settings(): string[] {
  const listenedTo = process.eventNames().flatMap((event) => {
    return process.listeners(event as NodeJS.Signals).map(() => `a listener of ${String(event)}`);
  });
  return [...listenedTo, `the exit code ${process.exitCode}`];
}

/** The items that are more frequent in `now` than in `before`. */
function added(before: readonly string[], now: readonly string[]): string[] {
  const rest = [...before];
  return now.filter((one) => {
    const at = rest.indexOf(one);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/**
 * Resources keep a process alive, such as timers and sockets.
 * @param ignored types of resources that the command cannot have made
 */
async function checkNothingIsLeft(
  settingsBefore: readonly string[],
  resourcesBefore: readonly string[],
  ignored: readonly string[],
): Promise<void> {
  const resources = () => {
    return added(resourcesBefore, process.getActiveResourcesInfo()).filter((type) => !ignored.includes(type));
  };
  // Checked once in each turn, because garbage collection may make an Immediate that is gone a turn later.
  let resourcesLeft = resources();
  for (let ms = 0; resourcesLeft.length > 0 && ms < PATIENCE_MS; ms++) {
    await setTimeout(1);
    resourcesLeft = resources();
  }
  const left = [...added(settingsBefore, settings()), ...resourcesLeft];
  if (left.length === 0) return;
  const makers = await makersOf(resourcesLeft);
  throw new Error(`the command leaves something behind: ${left.join(', ')}\n${makers.join('\n')}`);
}

/** Where resources of some types are made within a while, to find the code that makes them again and again. */
async function makersOf(types: readonly string[]): Promise<string[]> {
  const makers = new Set<string>();
  const hook = createHook({
    init(_id, type) {
      if (types.includes(type)) makers.add(`${type} made ${new Error('here').stack}`);
    },
  });
  hook.enable();
  await setTimeout(100);
  hook.disable();
  return [...makers].slice(0, 3);
}
