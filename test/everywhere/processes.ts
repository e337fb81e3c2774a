import { type ChildProcess, spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Installing, bundling and timing take seconds, minutes if the machine is busy; what has not ended by then never will. */
export const MAX_MS = 300_000;
const KEPT = 64 * 1024;

const running = new Set<ChildProcess>();

/** Runs a program to its end and gives what it wrote; fails, with what it complained of, if that was not well. */
export function run(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = start(command, args, { cwd, env });
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    child.stderr?.on('data', (chunk) => (stderr = (stderr + chunk).slice(-KEPT)));
    const timer = setTimeout(() => stop(child), MAX_MS);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')}: ${signal ?? `exit code ${code}`}\n${stdout}${stderr}`));
    });
  });
}

/** Runs npm to its end. On Windows it is no program, but a script, whose place it tells what it has started. */
export function npm(args: readonly string[], options?: RunOptions): Promise<string> {
  const { npm_execpath: script } = process.env;
  return script === undefined ? run('npm', args, options) : run(process.execPath, [script, ...args], options);
}

/** Starts a program in a process group of its own, for `stop` to end with all its children. */
export function start(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): ChildProcess {
  const options = { cwd, env: { ...process.env, ...env }, detached: true } as const;
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  for (const end of ['exit', 'error']) child.once(end, () => running.delete(child));
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  kill(child);
  await ended;
}

/** For when this program is interrupted. */
export function killAll(): void {
  for (const child of running) kill(child);
}

function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {} // it has just ended by itself
}
