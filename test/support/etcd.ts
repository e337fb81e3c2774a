import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';

/** Three etcd processes that are one cluster. */
export interface EtcdCluster {
  /** The URL of each member, for clients. */
  readonly hosts: readonly string[];
  /** The current leader, when two or three members know it; two by default. */
  leader(knownBy?: 2 | 3): Promise<number>;
  /** Sends a signal to a member; SIGKILL is waited for. */
  signal(member: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Starts a member that was killed, with the data it had. */
  restart(member: number): Promise<void>;
  /** Saves everything that the cluster holds to a new file. */
  save(file: string): Promise<void>;
  /** Ends all members, and starts a new cluster in their place that holds what a file has. */
  restore(file: string): Promise<void>;
  /** Ends all members and removes their data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
const MEMBERS = [0, 1, 2] as const;
const START_MS = 30_000;

/** Whether etcd is installed. If it is not, this prints a note, or fails in CI. */
export function hasEtcd(): boolean {
  const { error } = spawnSync('etcd', ['--version'], { stdio: 'ignore' });
  if (error === undefined) return true;
  const message = 'there is no program etcd (Debian: apt-get install etcd-server)';
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`\nNOT TESTED over etcd, as ${message}\n\n`);
  return false;
}

/**
 * Starts a new cluster, which only this machine can reach, with its data in a temporary folder. Takes 1 to 3 s.
 * @param options the command-line options of each member
 * @param tls if clients have to use TLS, the options of a request that does so
 */
export async function startEtcd(options: readonly string[] = [], tls?: SecureContextOptions): Promise<EtcdCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-etcd-'));
  const watcher = startWatcher(folder);
  const ports = await freePorts(2 * MEMBERS.length);
  const hosts = MEMBERS.map((member) => `${tls ? 'https' : 'http'}://127.0.0.1:${ports[member]}`);
  const peers = MEMBERS.map((member) => `http://127.0.0.1:${ports[MEMBERS.length + member]}`);
  const members = new Map<number, ChildProcess>();

  /** What a member is told when it starts, and when its data are restored. */
  function configurationOf(member: number) {
    return {
      name: ['--name', `member${member}`],
      dataDir: ['--data-dir', join(folder, String(member))],
      peer: ['--initial-advertise-peer-urls', String(peers[member])],
      all: ['--initial-cluster', peers.map((url, i) => `member${i}=${url}`).join()],
    };
  }

  function start(member: number): void {
    const [host, peer] = [String(hosts[member]), String(peers[member])];
    const log = openSync(join(folder, `${member}.log`), 'a');
    const args = [
      ...Object.values(configurationOf(member)).flat(),
      ...['--listen-client-urls', host, '--advertise-client-urls', host, '--listen-peer-urls', peer],
      ...['--logger', 'zap', '--log-level', 'error'],
      ...options,
    ];
    members.set(member, spawn('etcd', args, { stdio: ['ignore', log, log] }));
    watch();
  }

  function watch(): void {
    watcher.stdin?.write(`${[...members.values()].map(({ pid }) => pid).join(' ')}\n`);
  }

  const cluster: EtcdCluster = {
    hosts,
    async leader(knownBy = 2) {
      for (const end = Date.now() + START_MS; Date.now() < end; await setTimeout(50)) {
        const known = await Promise.all(hosts.map((host) => statusOf(host, tls)));
        const leader = MEMBERS.find((member) => {
          const id = known[member]?.header.member_id;
          const following = known.filter((status) => status !== undefined && status.leader === id);
          return id !== undefined && known[member]?.leader === id && following.length >= knownBy;
        });
        if (leader !== undefined) return leader;
      }
      const logs = MEMBERS.map((member) => readFileSync(join(folder, `${member}.log`), 'utf8'));
      throw new Error(`no leader in ${START_MS} ms\n${logs.join('\n')}`);
    },

    async signal(member, signal) {
      const child = members.get(member);
      child?.kill(signal);
      if (child === undefined || signal !== 'SIGKILL') return;
      await once(child, 'exit');
      members.delete(member);
      watch();
    },

    async restart(member) {
      start(member);
    },

    async save(file) {
      await etcdctl('--endpoints', String(hosts[await cluster.leader()]), 'snapshot', 'save', file);
    },

    async restore(file) {
      await Promise.all(MEMBERS.map((member) => cluster.signal(member, 'SIGKILL')));
      const token = ['--initial-cluster-token', randomUUID()]; // as etcd advises, so that it is another cluster
      for (const member of MEMBERS) {
        rmSync(join(folder, String(member)), { recursive: true });
        const { name, dataDir, peer, all } = configurationOf(member);
        await etcdctl('snapshot', 'restore', file, ...name, ...dataDir, ...peer, ...all, ...token);
      }
      for (const member of MEMBERS) start(member);
      await cluster.leader(3);
    },

    async stop() {
      watcher.stdin?.end();
      await once(watcher, 'exit');
    },
  };

  for (const member of MEMBERS) start(member);
  try {
    await cluster.leader();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** Runs etcdctl. */
export async function etcdctl(...args: string[]): Promise<void> {
  await run('etcdctl', args, { env: { ...process.env, ETCDCTL_API: '3' } });
}

interface Status {
  readonly header: { readonly member_id: string };
  readonly leader: string;
}

/** A member's status, over HTTP, because a gRPC channel takes longer to reconnect. */
async function statusOf(host: string, tls: SecureContextOptions | undefined): Promise<Status | undefined> {
  const options = { ...tls, method: 'POST', agent: false, signal: AbortSignal.timeout(500) };
  try {
    const request = (tls ? https : http).request(`${host}/v3/maintenance/status`, options);
    request.end('{}');
    const [response] = await once(request, 'response');
    return (await json(response)) as Status;
  } catch {
    return undefined;
  }
}

/** Starts a process that ends the given processes and removes a folder when its input ends, even if this process is killed. */
function startWatcher(folder: string): ChildProcess {
  const script = `
    while read -r line; do pids=$line; done
    kill -9 $pids
    sleep 0.1
    rm -rf "$0" || { sleep 1; rm -rf "$0"; }`;
  return spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}
