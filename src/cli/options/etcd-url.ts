import type { EtcdStoreOptions } from '../../registry/stores/etcd/store.js';
import { parameterOf, readCertificates, splitQuery } from '../../registry/stores/shared/certificates.js';
import { isRefusal, type Refusal, shown, UsageError } from './usage.js';

/** The parts of `etcds://user:password@host:port,host:port/PREFIX?ca=FILE&cert=FILE&key=FILE`. */
interface EtcdUrl {
  /** Whether connections are encrypted. */
  readonly isSecure: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly hosts: readonly string[];
  readonly prefix: string | undefined;
  /** The paths of certificates and keys. */
  readonly files: ReadonlyMap<string, string>;
}

const HOST = /^(\[[0-9a-f:.]+\]|[^\s,:/[\]@?#]+)(:[0-9]+)?$/i;
const NAMES = { ca: 'ca', cert: 'cert', key: 'key' };

/** @returns undefined if it is not such a URL @throws UsageError for parameters or percent signs that are wrong */
function parsed(url: string): EtcdUrl | undefined {
  const { base, parameters } = splitQuery(url);
  const [, scheme, authority = '', path = ''] = /^(etcds?):\/\/([^/]*)(?:\/(.*))?$/s.exec(base) ?? [];
  const [, login, list = ''] = /^(?:(.*)@)?(.*)$/s.exec(authority) ?? [];
  const hosts = list.split(',');
  if (scheme === undefined || !hosts.every((host) => HOST.test(host))) return undefined;
  const [user, password] = login?.split(/:(.*)/s) ?? [];
  if (user === '') return undefined;
  const files = filesIn(scheme, parameters);
  return {
    isSecure: scheme === 'etcds',
    user: decoded('the user', user),
    password: decoded('the password', password, 'another text'),
    hosts,
    prefix: decoded('the path', path === '' ? undefined : path),
    files,
  };
}

function filesIn(scheme: string, parameters: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const text of parameters) {
    const [name, path] = inUrl(() => parameterOf(text));
    if (!Object.hasOwn(NAMES, name)) {
      throw new UsageError(`parameters in the URL: expected only ca, cert, key, got ${shown(name)}`);
    }
    if (scheme === 'etcd') throw new UsageError(`${name} in the URL: expected etcds:// for certificates, got etcd://`);
    files.set(name, path);
  }
  return files;
}

/** @param got what the message shows, for a text that must not be shown */
function decoded(what: string, text: string | undefined, got?: string): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    const expected = 'text in which %25 stands for a percent sign';
    throw new UsageError(`${what} in the URL: expected ${expected}, got ${got ?? shown(text)}`);
  }
}

/** Whether a URL names a cluster. @throws UsageError for parameters or percent signs that are wrong */
export function isEtcdUrl(url: string): boolean {
  return parsed(url) !== undefined;
}

/**
 * What the library needs to open the store of a URL. Files are read, and what the URL lacks of user and password comes
 * from the variables of etcdctl.
 * @throws UsageError for a file that is missing or wrong, and for a user without a password
 */
export async function etcdAt(url: string): Promise<{ readonly hosts: string[]; readonly options: EtcdStoreOptions }> {
  const { isSecure, hosts, prefix, files, ...login } = parsed(url) as EtcdUrl;
  const auth = authOf(login);
  const { ca, cert, key } = await readCertificates(NAMES, files).catch((error) => {
    throw isRefusal(error) ? refusedInUrl(error) : error;
  });
  // Without an authority, grpc-js takes those of Node, which its type does not say.
  const own = cert && key && { certChain: cert, privateKey: key };
  const credentials = { rootCertificate: ca, ...own } as EtcdStoreOptions['credentials'];
  return {
    hosts: hosts.map((host) => `${isSecure ? 'https' : 'http'}://${host}`),
    options: { prefix, auth, credentials: files.size > 0 ? credentials : undefined },
  };
}

function authOf({ user, password }: Pick<EtcdUrl, 'user' | 'password'>): EtcdStoreOptions['auth'] {
  const { ETCDCTL_USER = '', ETCDCTL_PASSWORD } = process.env;
  const [otherUser, otherPassword] = ETCDCTL_USER.split(/:(.*)/s);
  const username = user ?? otherUser;
  if (!username) return undefined;
  const found = password ?? (username === otherUser ? otherPassword : undefined) ?? ETCDCTL_PASSWORD;
  if (found !== undefined) return { username, password: found };
  const where = 'in the URL, in ETCDCTL_USER=user:password or in ETCDCTL_PASSWORD';
  throw new UsageError(`the password of the user ${shown(username)}: expected it ${where}, got none`);
}

/** An error of the library about a parameter of a URL. */
export function refusedInUrl({ argument, expected, got }: Refusal): UsageError {
  return new UsageError(`${argument} in the URL: expected ${expected}, got ${got === undefined ? 'none' : shown(got)}`);
}

function inUrl<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isRefusal(error) ? refusedInUrl(error) : error;
  }
}
