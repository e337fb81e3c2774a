import {
  detailsOf,
  hasCode,
  STORE_ERRORS,
  StoreConflictError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../../../errors.js';

/** The SQLSTATE of a server's error, or the code of an error of Node or the client. */
export function codeOf(error: unknown): string {
  const { code } = detailsOf(error);
  return typeof code === 'string' ? code : '';
}

export function postgresError(cause: unknown): Error {
  if (hasCode(cause, ...STORE_ERRORS)) return cause;
  const code = codeOf(cause);
  const message = messageOf(cause);
  if (CONFLICTS.has(code)) return new StoreConflictError(`the server undid the statement: ${message}`, { cause });
  const damage = meaningOf(DAMAGES, code);
  if (damage !== undefined) return new StoreCorruptError(`${damage}: ${message}`, { cause });
  if (code === '25P02') return insideTransaction({ cause });
  const isTransient = isPassing(cause, code);
  const advice = meaningOf(ADVICE, code) ?? (isTransient ? 'the server did not answer' : 'the server refused');
  return new StoreUnavailableError(`${advice}: ${message}`, { cause, isTransient });
}

/**
 * Whether a write that failed may have been committed: the server did not say that it undid it.
 * @param error of a store
 */
export function mayBeCommitted(error: unknown): boolean {
  const code = codeOf(detailsOf(error).cause);
  return !SQLSTATE.test(code) || IN_DOUBT.test(code);
}

export function insideTransaction(options: ErrorOptions = {}): StoreUnavailableError {
  const message =
    'the client is inside a transaction: a rollback would undo ids that have been given. ' +
    'Give postgresStore a pool, or a client on which nobody begins a transaction';
  return new StoreUnavailableError(message, { ...options, isTransient: false });
}

// Always with a digit, unlike Node's EPIPE.
const SQLSTATE = /^(?=.*\d)[\dA-Z]{5}$/;
// Connection exceptions, some of them from poolers; statement_completion_unknown; the end of the server or the connection.
const IN_DOUBT = /^(08...|40003|57P..)$/;

const CONFLICTS = new Set(['40001', '40P01']); // serialization_failure, deadlock_detected

type Meanings = readonly (readonly [codes: RegExp, meaning: string])[];

const DAMAGES: Meanings = [
  // data_corrupted, index_corrupted; invalid_text_representation, numeric_value_out_of_range: of a value that the store keeps
  [/^(XX001|XX002|22P02|22003)$/, 'the server found damage'],
  [/^42703$/, 'the tables are not those of this version of shardbits'],
  [/^42P01$/, 'a table is missing; restore it'],
  [/^23505$/, 'a counter is behind the ids that have been given'],
];

function meaningOf(meanings: Meanings, code: string): string | undefined {
  return meanings.find(([codes]) => codes.test(code))?.[1];
}

// PostgreSQL, "Appendix A. Error Codes". 08: connection exceptions; 25006: the server has become a read-only standby;
// 53300: too many connections; 55P03, 57014: a lock or the statement took too long for the server's settings;
// 57P01 to 57P03: it stops or starts; 57P05: the session was idle too long.
const PASSING = /^(08...|25006|53300|55P03|57014|57P0[1235])$/;
// Node's codes for sockets and address look-up.
const SOCKETS =
  /^(E(ADDRNOTAVAIL|AI_AGAIN|CONNABORTED|CONNREFUSED|CONNRESET|HOSTDOWN|HOSTUNREACH|NETDOWN|NETUNREACH|NOTFOUND|PIPE|TIMEDOUT)|ERR_STREAM_\w+)$/;
// Codes of the package postgres. CONNECTION_ENDED is not one of them: the owner has closed the client for good.
const CLIENTS = /^(CONNECTION_(CLOSED|DESTROYED)|CONNECT_TIMEOUT)$/;
// Errors of pg have no code.
const MESSAGES =
  /^(Connection terminated|Connection ended|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

function isPassing(error: unknown, code: string): boolean {
  if (PASSING.test(code) || SOCKETS.test(code) || CLIENTS.test(code)) return true;
  if (code === 'ENOENT') return detailsOf(error).syscall === 'connect'; // no socket file yet
  return code === '' && MESSAGES.test(messageOf(error));
}

// Node, "X509 certificate error codes" in the documentation of node:tls.
const UNTRUSTED =
  /^(UNABLE_TO_\w*(CERT|ISSUER|LEAF)|(DEPTH_ZERO_)?SELF_SIGNED_CERT|CERT_|(INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$)/;

const ADVICE: Meanings = [
  [/^25006$/, 'the server is read-only at the moment'],
  [/^28/, 'the server refuses this user or password'],
  [/^3D000$/, 'the database does not exist'],
  [/^3F000$/, 'the schema does not exist'],
  [/^42501$/, 'this user lacks a privilege'],
  [/^53100$/, "the server's disk is full"],
  [/^CONNECTION_ENDED$/, 'the client has been closed'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the server's certificate is for another host"],
  [/^ERR_SSL_(?:(?!ALERT_)\w)*ALERT_\w*(CERT|CA$)/, 'the server refuses the certificate of this client'],
  [/^ERR_(SSL|TLS)_/, 'there is no TLS connection to the server'],
  [UNTRUSTED, "the server's certificate is not trusted"],
];

function messageOf(error: unknown): string {
  // Those of OpenSSL have a message with places in its source.
  const { reason } = detailsOf(error) as { readonly reason?: unknown };
  if (codeOf(error).startsWith('ERR_SSL_') && typeof reason === 'string') return reason;
  return detailsOf(error).message || codeOf(error) || String(error);
}
