import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import { type CertificateFolder, makeCertificates } from '../support/certificates.js';
import { shardbits } from '../support/cli.js';
import { connectPg, type PostgresServer, startPostgres } from '../support/postgres.js';
import { describeWith } from '../support/programs.js';
import { expectTime } from '../support/time.js';
import { refusal, useEveryCommand } from './every-command.js';

const START_MS = 60_000; // on a machine that has other work; otherwise three seconds

// The user `certified` needs a certificate, and `encrypted` a password that is not sent in clear text.
const RULES = `
  hostssl all certified all cert
  hostssl all encrypted all password
  host all encrypted all reject
  host all all all password`;

let folder: string;
let files: CertificateFolder;
/** Their certificates are for the address 127.0.0.1 and for the name localhost. */
let address: PostgresServer;
let named: PostgresServer;
let plain: PostgresServer;

async function startWith(certificate: string): Promise<PostgresServer> {
  const server = await startPostgres({
    files: { ...files.contents(certificate), ...files.contents('ca'), rules: RULES },
    settings: [
      ...['ssl=on', `ssl_cert_file=../${certificate}.pem`, `ssl_key_file=../${certificate}.key`],
      ...['ssl_ca_file=../ca.pem', 'hba_file=rules'],
    ],
  });
  const pool = await connectPg(server.url);
  await pool.query(`
    create role certified superuser login;
    create role encrypted superuser login password 'hidden';`);
  await pool.end();
  return server;
}

describeWith('openssl', 'version')('a store in PostgreSQL with TLS', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shardbits-certificates-'));
    files = await makeCertificates(folder);
    [address, named, plain] = await Promise.all([startWith('address'), startWith('named'), startPostgres()]);
  }, START_MS);

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  afterAll(async () => {
    await Promise.all([address, named, plain].map((server) => server?.stop()));
    rmSync(folder, { recursive: true });
  }, START_MS);

  /** The URL of a server for a user, by name or by address. */
  function urlOf(server: PostgresServer, login: string, parameters: string, host = '127.0.0.1'): string {
    const { port } = new URL(server.url);
    return `postgres://${login}@${host}:${port}/postgres?${parameters}`;
  }

  const own = (name: string) => `sslcert=${files.pem(name)}&sslkey=${files.key(name)}`;
  const root = (name: string) => `sslrootcert=${files.pem(name)}`;

  it('is used by every command, with a certificate instead of a password', async () => {
    const parameters = `sslmode=verify-full&${root('ca')}&${own('certified')}&schema=certified`;
    await useEveryCommand(urlOf(address, 'certified', parameters));
  });

  it('takes the password from the URL or from PGPASSWORD', async () => {
    const parameters = `sslmode=verify-full&${root('ca')}&application_name=ids`;
    expect((await refusal(urlOf(address, 'encrypted', parameters)))[1]).toMatch(/refuses this user or password/);
    vi.stubEnv('PGPASSWORD', 'hidden');
    await useEveryCommand(urlOf(address, 'encrypted', parameters));
  });

  it.each<[what: string, url: () => string]>([
    ['verify-full: the right address', () => urlOf(address, 'encrypted:hidden', `sslmode=verify-full&${root('ca')}`)],
    [
      'verify-full: the right name',
      () => urlOf(named, 'encrypted:hidden', `sslmode=verify-full&${root('ca')}`, 'localhost'),
    ],
    [
      'verify-ca: another name',
      () => urlOf(address, 'encrypted:hidden', `sslmode=verify-ca&${root('ca')}`, 'localhost'),
    ],
    ['verify-ca: another address', () => urlOf(named, 'encrypted:hidden', `sslmode=verify-ca&${root('ca')}`)],
    ['require: any certificate', () => urlOf(named, 'encrypted:hidden', 'sslmode=require')],
    ['prefer: TLS where it is offered', () => urlOf(named, 'encrypted:hidden', 'sslmode=prefer')],
    ['prefer: none where it is not', () => `${plain.url}?sslmode=prefer`],
    ['allow: TLS where it is needed', () => urlOf(named, 'encrypted:hidden', 'sslmode=allow')],
    ['disable: none', () => `${named.url}?sslmode=disable`],
    [
      'a list of hosts',
      () => {
        const { host } = new URL(address.url);
        const { port } = new URL(named.url);
        const hosts = `${host},localhost:${port}`;
        return `postgres://encrypted:hidden@${hosts}/postgres?sslmode=verify-full&${root('ca')}`;
      },
    ],
  ])('connects with %s', async (_, url) => {
    const store = await postgresStore(url());
    const asked = performance.now();
    expect(await store.count('strings')).toBeGreaterThanOrEqual(0);
    await store.close();
    expectTime(performance.now() - asked, 900); // it would wait a second for a socket that is not closed
  });

  it.each<[what: string, url: () => string, message: string | RegExp]>([
    [
      'another authority',
      () => urlOf(address, 'encrypted:hidden', `sslmode=verify-ca&${root('other')}`),
      /^the server's certificate is not trusted: (self-signed|unable to verify)/,
    ],
    [
      'another authority, with require',
      () => urlOf(address, 'encrypted:hidden', `sslmode=require&${root('other')}`),
      /^the server's certificate is not trusted: /,
    ],
    [
      'the authorities of Node',
      () => urlOf(address, 'encrypted:hidden', 'sslmode=verify-full'),
      /^the server's certificate is not trusted: /,
    ],
    [
      'the authorities of the system',
      () => urlOf(address, 'encrypted:hidden', 'sslrootcert=system'),
      /^the server's certificate is not trusted: /,
    ],
    [
      'another name',
      () => urlOf(address, 'encrypted:hidden', `sslmode=verify-full&${root('ca')}`, 'localhost'),
      /^the server's certificate is for another host: .*localhost/,
    ],
    [
      'another address',
      () => urlOf(named, 'encrypted:hidden', `sslmode=verify-full&${root('ca')}`),
      /^the server's certificate is for another host: .*127\.0\.0\.1/,
    ],
    [
      'no certificate of its own',
      () => urlOf(address, 'certified', `sslmode=verify-full&${root('ca')}`),
      /connection requires a valid client certificate$/,
    ],
    [
      'the certificate of another user',
      () => urlOf(address, 'certified', `sslmode=verify-full&${root('ca')}&${own('root')}`),
      /certificate authentication failed for user "certified"$/,
    ],
    [
      'a certificate that the server does not trust',
      () => urlOf(address, 'certified', `sslmode=verify-full&${root('ca')}&${own('stranger')}`),
      // The second one if the connection was closed three times before Node had read why.
      /^the server (refuses the certificate of this client: tlsv1 alert unknown ca|closes connections at once\. It may refuse the certificate of this client: (ECONNRESET|EPIPE))$/,
    ],
    [
      'a wrong password',
      () => urlOf(address, 'encrypted:secret', `sslmode=verify-full&${root('ca')}`),
      'the server refuses this user or password: password authentication failed for user "encrypted"',
    ],
    ['a password in clear text', () => urlOf(address, 'encrypted:hidden', 'sslmode=disable'), /no encryption$/],
    [
      'TLS where there is none',
      () => `${plain.url}?sslmode=require`,
      'the server does not offer TLS: see sslmode in the URL',
    ],
  ])('refuses %s in one line, and for good', async (_, url, message) => {
    expect(await refusal(url())).toEqual([1, expect.stringMatching(message)]);
    const error = await postgresStore(url()).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: false });
    expect(error.message).not.toMatch(/hidden|secret|\n/);
  });

  it('is asked again by a program whose store was opened, with the same certificates', async () => {
    const store = await postgresStore(urlOf(address, 'encrypted:hidden', `sslmode=verify-full&${root('ca')}`));
    await store.count('strings');
    await address.crash();
    await expect(store.count('strings')).rejects.toMatchObject({ isTransient: true });
    await address.start();
    expect(await store.count('strings')).toBeGreaterThanOrEqual(0);
    await store.close();
  });

  it('leaves nothing on standard error', async () => {
    const url = urlOf(named, 'encrypted:hidden', `sslmode=verify-full&${root('ca')}`, 'localhost');
    expect(await shardbits(['intern', '--store', url], { input: ['a\n'] })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each<[parameters: () => string, message: string]>([
    [
      () => 'sslmode=verify',
      "sslmode in the URL: expected one of 'disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', " +
        'got "verify"',
    ],
    [
      () => 'sslrootcrt=ca.pem',
      'parameters in the URL: expected only sslmode, sslrootcert, sslcert, sslkey, ssl, sslnegotiation, got "sslrootcrt"',
    ],
    [
      () => root('ca'),
      'sslmode in the URL: expected one of require, verify-ca, verify-full with sslrootcert, got none',
    ],
    [
      () => `sslmode=prefer&${own('certified')}`,
      'sslmode in the URL: expected one of require, verify-ca, verify-full with sslcert, got "prefer"',
    ],
    [
      () => 'sslmode=require&sslrootcert=system',
      'sslmode in the URL: expected verify-full with sslrootcert=system, got "require"',
    ],
    [
      () => 'sslmode=verify-ca&sslrootcert=none.pem',
      'sslrootcert in the URL: expected the path of a file that exists and can be read, got "none.pem"',
    ],
    [
      () => 'sslmode=verify-ca&sslrootcert=100%.pem',
      'sslrootcert in the URL: expected text in which %25 stands for a percent sign, got "100%.pem"',
    ],
    [
      () => 'sslmode=verify-ca&sslrootcert=package.json',
      'sslrootcert in the URL: expected a file with certificates in PEM, got "package.json"',
    ],
    [() => `sslmode=require&sslcert=${files.pem('root')}`, 'sslkey in the URL: expected the key of sslcert, got none'],
    [
      () => `sslmode=require&sslkey=${files.key('root')}`,
      'sslcert in the URL: expected the certificate of sslkey, got none',
    ],
    [
      () => `sslmode=require&sslcert=${files.pem('root')}&sslkey=package.json`,
      'sslkey in the URL: expected a file with the private key of sslcert, in PEM and without a passphrase, ' +
        'got "package.json"',
    ],
  ])('is not looked for if the URL is wrong: %s', async (parameters, message) => {
    expect(await refusal(`postgres://user:hidden@127.0.0.1:9/postgres?${parameters()}`)).toEqual([2, message]);
    const error = await postgresStore(`postgres://127.0.0.1:9/postgres?${parameters()}`).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error).toMatchObject({ code: 'ERR_OUT_OF_RANGE', argument: message.split(' ')[0] });
  });
});
