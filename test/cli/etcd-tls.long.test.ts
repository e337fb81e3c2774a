import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Etcd3 } from 'etcd3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CertificateFolder, makeCertificates } from '../support/certificates.js';
import { shardbits } from '../support/cli.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';
import { runHere } from '../support/run-here.js';
import { expectTime } from '../support/time.js';
import { refusal, useEveryCommand } from './every-command.js';

const UNTRUSTED = /^etcd's certificate is not trusted: (self-signed|unable to)/;

let folder: string;
let files: CertificateFolder;
let cluster: EtcdCluster;

/** The URL of the cluster, whose certificates are for the address 127.0.0.1. */
function urlOf(login: string, path: string, parameters: string, name = '127.0.0.1'): string {
  const hosts = cluster.hosts.map((host) => `${name}:${new URL(host).port}`);
  return `etcds://${login}${hosts.join()}/${path}?${parameters}`;
}

const ca = (name: string) => `ca=${files.pem(name)}`;
const own = (name: string) => `cert=${files.pem(name)}&key=${files.key(name)}`;
const right = () => `${ca('ca')}&${own('certified')}`;

describe.skipIf(!hasEtcd())('a store in etcd with TLS, users and passwords', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shardbits-certificates-'));
    files = await makeCertificates(folder);
    const pair = { cert: readFileSync(files.pem('address')), key: readFileSync(files.key('address')) };
    const options = [
      ...['--cert-file', files.pem('address'), '--key-file', files.key('address')],
      ...['--client-cert-auth', '--trusted-ca-file', files.pem('ca')],
    ];
    cluster = await startEtcd(options, { ca: readFileSync(files.pem('ca')), ...pair });
    const credentials = { rootCertificate: readFileSync(files.pem('ca')), certChain: pair.cert, privateKey: pair.key };
    const client = new Etcd3({ hosts: cluster.hosts[0] as string, credentials });
    await client.user('root').create('hidden');
    await client.user('root').addRole('root');
    await client.user('team').create('hid/den@');
    await client.role('team').create();
    await client.role('team').grant({ permission: 'Readwrite', range: client.range({ prefix: 'team/' }) });
    await client.user('team').addRole('team');
    await client.auth.authEnable();
    client.close();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  it('is used by every command, with a password in the URL', async () => {
    await useEveryCommand(urlOf('team:hid%2Fden%40@', 'team/', right()));
  });

  it('takes user and password from the variables of etcdctl', async () => {
    vi.stubEnv('ETCDCTL_PASSWORD', 'hidden');
    await useEveryCommand(urlOf('root@', 'a/', right()));
    vi.stubEnv('ETCDCTL_USER', 'root');
    await useEveryCommand(urlOf('', 'b/', right()));
    vi.stubEnv('ETCDCTL_USER', 'root:hidden');
    vi.stubEnv('ETCDCTL_PASSWORD', undefined);
    await useEveryCommand(urlOf('', 'c/', right()));
    await useEveryCommand(urlOf('root@', 'd/', right()));
    expect(await refusal(urlOf('team@', 'team/', right()))).toEqual([
      2,
      'password in the URL: expected that of the user "team", or else ETCDCTL_USER=user:password or ' +
        'ETCDCTL_PASSWORD, got none',
    ]);
  });

  it('takes the name in the certificate for that of the user', async () => {
    await useEveryCommand(urlOf('', '', `${ca('ca')}&${own('root')}`));
    const other = await refusal(urlOf('', 'shardbits/', right()));
    expect(other).toEqual([1, expect.stringMatching(/permission denied/)]);
  });

  it('is apart from one with another prefix', async () => {
    const [first, second] = ['first/', 'second/'].map((prefix) => urlOf('root:hidden@', prefix, right()));
    for (const [store, input] of [
      [first, 'a\nb\n'],
      [second, 'a\n'],
    ] as const) {
      expect(await runHere(['intern', '--store', store as string], { input: [input] })).toMatchObject({ code: 0 });
    }
    const check = async (store = '') => (await runHere(['store', 'check', store])).stdout.toString();
    expect(await check(first)).toMatch(/^strings +2\n/);
    expect(await check(second)).toMatch(/^strings +1\n/);
    expect(await refusal(urlOf('root:hidden@', 'third/', right()))).toEqual([
      1,
      'etcd has no store under the prefix "third/"',
    ]);
  });

  it('is reached over the members whose certificates are good', async () => {
    const [one, two] = cluster.hosts.map((host) => new URL(host).port);
    for (const hosts of [`localhost:${one},127.0.0.1:${two}`, `127.0.0.1:${one},localhost:${two}`]) {
      const url = `etcds://root:hidden@${hosts}/mixed/?${right()}`;
      expect(await runHere(['intern', '--store', url], { input: ['a\n'] })).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it.each<[what: string, url: () => string, message: string | RegExp]>([
    ['another authority', () => urlOf('root:hidden@', '', `${ca('other')}&${own('certified')}`), UNTRUSTED],
    ['the authorities of Node', () => urlOf('root:hidden@', '', own('certified')), UNTRUSTED],
    ['them, without any parameter', () => urlOf('root:hidden@', '', ''), UNTRUSTED],
    [
      'another name',
      () => urlOf('root:hidden@', '', right(), 'localhost'),
      /^etcd's certificate is for another host: .*localhost/,
    ],
    [
      'no certificate of its own',
      () => urlOf('root:hidden@', '', ca('ca')),
      /^etcd refuses the certificate of this client: .*alert/,
    ],
    [
      'a certificate that etcd does not trust',
      () => urlOf('root:hidden@', '', `${ca('ca')}&${own('stranger')}`),
      /^etcd refuses the certificate of this client: .*alert/,
    ],
    [
      'a wrong password',
      () => urlOf('root:secret@', '', right()),
      /authentication failed, invalid user ID or password$/,
    ],
  ])('refuses %s in one line, and soon', async (_, url, message) => {
    const asked = performance.now();
    const [code, line] = await refusal(url());
    expect([code, line]).toEqual([1, expect.stringMatching(message)]);
    expect(line).not.toMatch(/hidden|secret|node_modules|\.c:/);
    expectTime(performance.now() - asked, 5000); // half of what it waits for members that do not answer
  });

  it('leaves nothing on standard error', async () => {
    const url = urlOf('root:hidden@', 'process/', right());
    expect(await shardbits(['intern', '--store', url], { input: ['a\n'] })).toMatchObject({ code: 0, stderr: '' });
  });
});
