import { execFileSync } from 'node:child_process';
import os from 'node:os';
import manifest from '../package.json' with { type: 'json' };

/** What a figure depends on besides the code. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  v8: string;
  shardbits: string;
  commit: string;
  date: string;
}

export function machine(): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown processor',
    cores: os.cpus().length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.platform()} ${os.release()} ${os.arch()}`,
    node: process.version,
    v8: process.versions.v8,
    shardbits: manifest.version,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const changed = git('status', '--porcelain', '--', 'assembly', 'src', 'bench/*.ts', 'bench/areas').trim() !== '';
    return git('rev-parse', '--short', 'HEAD').trim() + (changed ? ' + changes' : '');
  } catch {
    return 'unknown';
  }
}

export function describeMachine({ cpu, cores, memoryGb, system, node, v8, shardbits, commit, date }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}; Node ${node} (V8 ${v8}); shardbits ${shardbits} at ${commit}; ${date}`;
}
