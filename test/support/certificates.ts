import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './postgres-process.js';

/** Paths of files in a folder. */
export interface CertificateFolder {
  /** The path of `NAME.pem`, a certificate. */
  pem(name: string): string;
  /** The path of `NAME.key`, its private key. */
  key(name: string): string;
  /** The contents of both, by the names of their files. */
  contents(name: string): Record<string, string>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * Makes two authorities, `ca` and `other`, and certificates of theirs, by openssl: `address` for the server 127.0.0.1 and
 * `named` for localhost; `certified`, `root` and `stranger` for clients of these names, the last one by the other
 * authority.
 * @param folder an empty one
 */
export async function makeCertificates(folder: string): Promise<CertificateFolder> {
  const openssl = async (name: string, args: readonly string[]) => {
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    await run('openssl', ['req', '-x509', ...NEW_KEY, ...files, '-subj', `/CN=${name}`, '-days', '2', ...args]);
  };
  const signed = (name: string, by: string, ...extensions: readonly string[]) => {
    const own = ['basicConstraints=critical,CA:FALSE', ...extensions].flatMap((text) => ['-addext', text]);
    return openssl(name, ['-CA', join(folder, `${by}.pem`), '-CAkey', join(folder, `${by}.key`), ...own]);
  };
  await Promise.all(['ca', 'other'].map((name) => openssl(name, [])));
  await Promise.all([
    signed('address', 'ca', 'subjectAltName=IP:127.0.0.1'),
    signed('named', 'ca', 'subjectAltName=DNS:localhost'),
    signed('certified', 'ca'),
    signed('root', 'ca'),
    signed('stranger', 'other'),
  ]);
  const pem = (name: string) => join(folder, `${name}.pem`);
  const key = (name: string) => join(folder, `${name}.key`);
  return {
    pem,
    key,
    contents: (name) => ({
      [`${name}.pem`]: readFileSync(pem(name), 'utf8'),
      [`${name}.key`]: readFileSync(key(name), 'utf8'),
    }),
  };
}
