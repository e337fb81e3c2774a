import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { notTested } from './not-tested.js';

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
  /** Saves a snapshot to a file. */
  save(path: string): Promise<void>;
  /**
   * Ends all members, and starts them again with what a snapshot has, under their old names and URLs.
   * @param token the token of the new cluster; the old one by default, with which the new cluster has the id of the old one
   */
  restore(path: string, token?: string): Promise<void>;
  /** Ends all members and removes their data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
const MEMBERS = [0, 1, 2] as const;
const START_MS = 30_000;

/** Whether etcd is installed. If it is not, this prints a note, or fails in CI. */
export function hasEtcd(): boolean {
  return hasProgram('etcd', '--version', 'etcd-server');
}

/** Whether etcdctl is installed, which saves and restores snapshots. */
export function hasEtcdctl(): boolean {
  return hasProgram('etcdctl', 'version', 'etcd-client');
}

function hasProgram(program: string, version: string, debian: string): boolean {
  const { error } = spawnSync(program, [version], { stdio: 'ignore' });
  if (error === undefined) return true;
  const message = `there is no program ${program} (Debian: apt-get install ${debian})`;
  if (process.env.CI) throw new Error(message);
  notTested(`stores in etcd: ${message}`);
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
  const named = peers.map((url, i) => `member${i}=${url}`).join();
  let restores = 0;
  const dataOf = (member: number) => join(folder, `${member}-${restores}`);

  function start(member: number): void {
    const [host, peer] = [String(hosts[member]), String(peers[member])];
    const log = openSync(join(folder, `${member}.log`), 'a');
    const args = [
      ...['--name', `member${member}`, '--data-dir', dataOf(member)],
      ...['--listen-client-urls', host, '--advertise-client-urls', host],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', named],
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

    async save(path) {
      await etcdctl('--endpoints', String(hosts[0]), 'snapshot', 'save', path);
    },

    async restore(path, token = 'etcd-cluster') {
      for (const member of MEMBERS) await cluster.signal(member, 'SIGKILL');
      restores++;
      for (const member of MEMBERS) {
        const args = [
          ...['snapshot', 'restore', path, '--name', `member${member}`, '--data-dir', dataOf(member)],
          ...['--initial-cluster', named, '--initial-advertise-peer-urls', String(peers[member])],
          ...['--initial-cluster-token', token],
        ];
        await etcdctl(...args);
      }
      for (const member of MEMBERS) start(member);
      await cluster.leader();
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
async function etcdctl(...args: string[]): Promise<void> {
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
