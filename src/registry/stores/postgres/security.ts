import type { PeerCertificate } from 'node:tls';
import { checkOneOf, unknownName, wrongValue } from '../../../arguments.js';
import { parameterOf, readCertificates, splitQuery } from '../shared/certificates.js';

export type SecuredUrl = Awaited<ReturnType<typeof securedUrl>>;

const NAMES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' };
const OURS = ['sslmode', ...Object.values(NAMES)];
// Parameters of postgres.js itself.
const CLIENTS = ['ssl', 'sslnegotiation'];
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const MODES_OF_FILES = ['require', 'verify-ca', 'verify-full'] as const;

/**
 * Takes libpq's parameters for TLS out of a URL, and reads the files that they name. postgres.js takes `verify-ca` for
 * `verify-full`, and passes the others on to the server as settings.
 * @returns the URL without these parameters, and what postgres.js takes as its option `ssl`: undefined if the URL does not say
 * @throws RangeError, whose `argument` is the parameter, for one that is unknown or wrong
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html
 */
export async function securedUrl(given: string) {
  const { base, parameters } = splitQuery(given);
  const isOurs = (text: string) => text.startsWith('ssl') && !CLIENTS.includes(text.split('=')[0]);
  const ours = new Map(parameters.filter(isOurs).map(parameterOf));
  if (ours.size === 0) return { url: given, ssl: undefined };
  for (const name of ours.keys()) {
    if (!OURS.includes(name)) throw unknownName('parameters', name, [...OURS, ...CLIENTS]);
  }
  const others = parameters.filter((text) => !isOurs(text));
  return { url: others.length > 0 ? `${base}?${others.join('&')}` : base, ssl: await securityOf(ours) };
}

async function securityOf(parameters: ReadonlyMap<string, string>) {
  const files = new Map([...parameters].filter(([name]) => name !== 'sslmode'));
  const isSystem = files.get(NAMES.ca) === 'system';
  const given = parameters.get('sslmode') ?? (isSystem ? 'verify-full' : undefined);
  const [first] = files.keys();
  // Without this, a certificate would be named for nothing.
  if (first !== undefined && !MODES_OF_FILES.some((mode) => mode === given)) {
    throw wrongValue('sslmode', `one of ${MODES_OF_FILES.join(', ')} with ${first}`, given, undefined, given ?? 'none');
  }
  const mode = checkOneOf('sslmode', given as (typeof MODES)[number], MODES);
  if (isSystem && mode !== 'verify-full') throw wrongValue('sslmode', 'verify-full with sslrootcert=system', mode);
  if (isSystem) files.delete(NAMES.ca); // Node has the same authorities
  if (mode === 'disable') return false;
  if (mode === 'allow' || mode === 'prefer') return 'prefer';
  const certificates = await readCertificates(NAMES, files);
  return {
    ...certificates,
    // With an authority, `require` is `verify-ca` in libpq, too.
    rejectUnauthorized: mode !== 'require' || certificates.ca !== undefined,
    checkServerIdentity: mode === 'verify-full' ? await hostCheck() : () => undefined,
  };
}

/**
 * Checks a certificate against the host of the socket, which the store has put there. The name that Node gives is
 * `localhost` instead of an address, as postgres.js does not pass it on.
 */
async function hostCheck() {
  const { checkServerIdentity } = await import('node:tls');
  type Checking = { readonly socket?: { readonly host?: string } } | undefined;
  return function (this: Checking, name: string, certificate: PeerCertificate) {
    return checkServerIdentity(this?.socket?.host ?? name, certificate);
  };
}
