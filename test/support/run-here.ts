import { createHook } from 'node:async_hooks';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { run } from '../../src/cli/program.js';
import type { Run, RunOptions } from './cli.js';

// The sockets of stores that other files have closed may come and go in this process: grpc-js goes on connecting for a while
// after its channel is closed.
const OF_NETWORK = ['TCPSocketWrap', 'ConnectWrap', 'GetAddrInfoReqWrap'];

const PATIENCE_MS = 2000; // closed resources may take a moment to disappear

interface HereOptions extends Pick<RunOptions, 'input' | 'cwd'> {
  /** Makes standard output a terminal. */
  terminal?: { readonly columns: number; readonly colors?: boolean };
}

/** The runs that have not ended. */
const running = new Set<Promise<Run>>();

/** What the running ones have in common. */
let visit: Visit;

interface Visit {
  readonly cwd: string | undefined;
  /** Whether several have run at the same time. */
  isShared: boolean;
  /** The state of the process before. */
  readonly settings: readonly string[];
  readonly resources: readonly string[];
  leave(): void;
}

/**
 * Runs a command line in this process, from its sources. For tests that are not about a process, this is 20 times as fast as
 * `shardbits`. There is no terminal unless standard output is said to be one, and only the given standard input. Several may run at the same time. The process has one
 * working folder, so a run in another folder waits for those before it.
 * @throws Error if the command reads standard input that was not given, or, if it ran alone, leaves something behind in this
 * process
 */
export async function runHere(args: string[], { input, cwd, terminal }: HereOptions = {}): Promise<Run> {
  while (running.size > 0 && visit.cwd !== cwd) await Promise.race(running).catch(() => {});
  if (running.size > 0) visit.isShared = true;
  else visit = enter(cwd);
  const ended = runIn(visit, args, input, terminal);
  running.add(ended);
  try {
    return await ended;
  } finally {
    running.delete(ended);
    if (running.size === 0) visit.leave();
  }
}

function enter(cwd: string | undefined): Visit {
  const [home, { emitWarning }] = [process.cwd(), process];
  const visit = { cwd, isShared: false, settings: settings(), resources: process.getActiveResourcesInfo() };
  if (cwd !== undefined) process.chdir(cwd);
  const leave = () => {
    process.chdir(home);
    process.emitWarning = emitWarning; // the command replaces it, to hide the warning about SQLite
  };
  return { ...visit, leave };
}

async function runIn(
  visit: Visit,
  args: string[],
  input: RunOptions['input'],
  terminal: HereOptions['terminal'],
): Promise<Run> {
  const [stdin, stdout, stderr] = [new Input(input), new Output(), new Output()];
  const { columns, colors } = terminal ?? {};
  if (terminal !== undefined) Object.assign(stdout, { isTTY: true, columns, hasColors: () => colors === true });
  const code = await run(args, { stdin, stdout, stderr });
  if (stdin.isMissed) throw new Error('the command reads standard input: give it some, or run it as a process');
  await checkNothingIsLeft(visit, args.some((arg) => arg.includes('://')) ? [] : OF_NETWORK);
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
async function checkNothingIsLeft(visit: Visit, ignored: readonly string[]): Promise<void> {
  const resources = () => {
    return added(visit.resources, process.getActiveResourcesInfo()).filter((type) => !ignored.includes(type));
  };
  // Checked once in each turn, because garbage collection may make an Immediate that is gone a turn later.
  let resourcesLeft = resources();
  for (let ms = 0; resourcesLeft.length > 0 && ms < PATIENCE_MS && !visit.isShared; ms++) {
    await setTimeout(1);
    resourcesLeft = resources();
  }
  if (visit.isShared) return; // it may be of another run
  const left = [...added(visit.settings, settings()), ...resourcesLeft];
  if (left.length === 0) return;
  const makers = resourcesLeft.length > 0 ? await makersOf(resourcesLeft) : [];
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
