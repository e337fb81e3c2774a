import { wrongValue } from '../../../arguments.js';

/** The names of parameters: those of an authority's certificates, of our own certificate, and of its private key. */
export type CertificateNames = { readonly [part in 'ca' | 'cert' | 'key']: string };

/**
 * Reads the files that the parameters of a URL name.
 * @param paths by the names of the parameters
 * @throws RangeError, whose `argument` is the parameter, for a file that cannot be read or holds something else, and for
 *   a certificate without its key
 */
export async function readCertificates(names: CertificateNames, paths: ReadonlyMap<string, string>) {
  const ca = await contentsOf(names.ca, paths);
  const cert = await contentsOf(names.cert, paths);
  const key = await contentsOf(names.key, paths);
  if (ca) await checkCertificate(names.ca, paths, ca);
  if (cert) await checkCertificate(names.cert, paths, cert);
  if (cert && !key) throw wrongValue(names.key, `the key of ${names.cert}`, undefined, undefined, 'none');
  if (key && !cert) throw wrongValue(names.cert, `the certificate of ${names.key}`, undefined, undefined, 'none');
  if (cert && key) {
    const { createSecureContext } = await import('node:tls');
    try {
      createSecureContext({ cert, key });
    } catch {
      const expected = `a file with the private key of ${names.cert}, in PEM and without a passphrase`;
      throw wrongValue(names.key, expected, paths.get(names.key));
    }
  }
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/**
 * The parameters of a URL as they stand there. Those of several hosts are no URLs to `new URL`.
 * @returns what is before the question mark, and `name=value` for each
 */
export function splitQuery(url: string): { readonly base: string; readonly parameters: readonly string[] } {
  const [base = '', query = ''] = url.split(/\?(.*)/s);
  return { base, parameters: query === '' ? [] : query.split('&') };
}

/** The name and the value of a parameter. A plus sign is no space: it is frequent in paths. @throws as {@link decoded} */
export function parameterOf(text: string): readonly [name: string, value: string] {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  return [name, decoded(name, value)];
}

/**
 * A part of a URL without its percent signs.
 * @param got what the message shows, for a text that must not be shown
 * @throws RangeError, whose `argument` is the part, for a wrong percent sign
 */
export function decoded(part: string, text: string, got = text): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongValue(part, 'text in which %25 stands for a percent sign', got);
  }
}

// Node's modules are loaded late, since workerd may not have them, and a URL without certificates does not need them.

async function contentsOf(name: string, paths: ReadonlyMap<string, string>): Promise<Buffer | undefined> {
  const path = paths.get(name);
  if (path === undefined) return undefined;
  const { readFile } = await import('node:fs/promises');
  try {
    return await readFile(path);
  } catch {
    throw wrongValue(name, 'the path of a file that exists and can be read', path);
  }
}

async function checkCertificate(name: string, paths: ReadonlyMap<string, string>, contents: Buffer): Promise<void> {
  const { X509Certificate } = await import('node:crypto');
  try {
    if (contents.includes('-----BEGIN ')) return void new X509Certificate(contents);
  } catch {} // it is something else
  throw wrongValue(name, 'a file with certificates in PEM', paths.get(name));
}
