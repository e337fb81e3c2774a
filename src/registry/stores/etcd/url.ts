import type { IOptions } from 'etcd3';
import { withoutPassword, wrongValue } from '../../../arguments.js';
import { decoded, parameterOf, readCertificates, splitQuery } from '../shared/certificates.js';

const HOST = /^(\[[0-9a-f:.]+\]|[^\s,:/[\]@?#]+)(:[0-9]+)?$/i;
const NAMES = { ca: 'ca', cert: 'cert', key: 'key' };

/** What `etcdStore` needs to open the store of a URL. */
export interface EtcdUrl {
  readonly hosts: string[];
  readonly options: {
    readonly prefix: string | undefined;
    readonly auth: IOptions['auth'] | undefined;
    readonly credentials: IOptions['credentials'] | undefined;
  };
}

/**
 * Reads a URL such as `etcds://user:password@host:port,host:port/PREFIX?ca=FILE&cert=FILE&key=FILE`, and the files that it
 * names. `etcds` is for TLS, and a percent sign is written as `%25`.
 * @param variables those of etcdctl have what the URL lacks of user and password: ETCDCTL_USER and ETCDCTL_PASSWORD
 * @throws RangeError, whose `argument` is the part, for what is wrong, for a file that cannot be read or holds something else,
 *   and for a user without a password
 * @example
 * const { hosts, options } = await parseEtcdUrl('etcds://app@10.0.0.1:2379/ids/?ca=ca.pem', process.env);
 * const store = await etcdStore(hosts, options);
 */
export async function parseEtcdUrl(
  url: string,
  variables: { readonly [name: string]: string | undefined } = {},
): Promise<EtcdUrl> {
  const { scheme, user, password, hosts, path, parameters } = partsOf(url);
  if (scheme === undefined || user === '' || !hosts.every((host) => HOST.test(host))) {
    throw wrongValue('url', 'etcd://user:password@host:port,host:port/PREFIX', withoutPassword(url));
  }
  const files = filesIn(scheme, parameters);
  const name = user && decoded('user', user);
  const auth = authOf(name, password && decoded('password', password, 'another text'), variables);
  const prefix = path ? decoded('path', path) : undefined;
  const { ca, cert, key } = await readCertificates(NAMES, files);
  // Without an authority, grpc-js takes those of Node, which its type does not say.
  const own = cert && key && { certChain: cert, privateKey: key };
  const credentials = { rootCertificate: ca, ...own } as IOptions['credentials'];
  return {
    hosts: hosts.map((host) => `${scheme === 'etcds' ? 'https' : 'http'}://${host}`),
    options: { prefix, auth, credentials: files.size > 0 ? credentials : undefined },
  };
}

function partsOf(url: string) {
  const { base, parameters } = splitQuery(url);
  const [, scheme, authority = '', path] = /^(etcds?):\/\/([^/]*)(?:\/(.*))?$/s.exec(base) ?? [];
  const [, login, list = ''] = /^(?:(.*)@)?(.*)$/s.exec(authority) ?? [];
  const [user, password] = login?.split(/:(.*)/s) ?? [];
  return { scheme, user, password, hosts: list.split(','), path, parameters };
}

function filesIn(scheme: string, parameters: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const text of parameters) {
    const [name, path] = parameterOf(text);
    if (!Object.hasOwn(NAMES, name)) throw wrongValue('parameters', 'only ca, cert, key', name);
    if (scheme === 'etcd') throw wrongValue(name, 'etcds:// for certificates', 'etcd://');
    files.set(name, path);
  }
  return files;
}

function authOf(
  user: string | undefined,
  password: string | undefined,
  { ETCDCTL_USER = '', ETCDCTL_PASSWORD }: { readonly [name: string]: string | undefined },
): IOptions['auth'] {
  const [otherUser, otherPassword] = ETCDCTL_USER.split(/:(.*)/s);
  const username = user ?? otherUser;
  if (!username) return undefined;
  const found = password ?? (username === otherUser ? otherPassword : undefined) ?? ETCDCTL_PASSWORD;
  if (found !== undefined) return { username, password: found };
  const expected = `that of the user "${username}", or else ETCDCTL_USER=user:password or ETCDCTL_PASSWORD`;
  throw wrongValue('password', expected, undefined);
}
