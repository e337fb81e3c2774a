import { type Dirent, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { checkString, wrongKind, wrongValue } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import { plainPath } from '../../file-system.js';

/**
 * The files that paths and patterns name, as a shell finds them: `*` and `?` stand for characters of a name, `[a-z]` and
 * `[!a-z]` for one of them, and `**` for folders within folders. A backslash takes a character as it is, except on Windows.
 * Names that begin with a dot are found only by a pattern that does, and folders that cannot be listed are left out. A path
 * is not a pattern if there is such a file, and neither is `-`. Shells of Windows leave patterns to programs.
 * @returns the paths as they are, and in the place of a pattern the files that it finds, in the order of their names
 * @throws TypeError or RangeError if `input` is not a list of paths and patterns; Error for a pattern of no file, and for a
 *   file whose name is not UTF-8; Node's own errors
 * @example
 * matchingFiles(['users.csv', 'data/*.csv']); // ['users.csv', 'data/1.csv', 'data/2.csv']
 */
export function matchingFiles(input: readonly string[]): string[] {
  if (!Array.isArray(input)) throw wrongKind('input', 'a list of paths', input);
  return input.flatMap((path) => {
    const pattern = plainPath(checkString('input', path));
    if (!GLOB.test(pattern) || isThere(path, true)) return [path];
    if (URL_FORM.test(path)) throw wrongValue('input', 'files: read others in DuckDB by shardbits/duckdb', path);
    if (CLASS.test(path)) throw wrongValue('input', 'brackets such as [0-9] or [a-z], without [:, [. and [=', path);
    const names = pattern.split(process.platform === 'win32' ? /[\\/]/ : '/');
    const found = [...matching('', names.at(-1) === '**' ? [...names, '*'] : names, new Set())];
    if (found.length === 0) throw new Error(`${path}: no file has such a name`);
    return found.sort().map((name) => (name === '-' ? './-' : name)); // a file, not standard input
  });
}

const GLOB = /[*?[]/;
const URL_FORM = /^\w{2,}:\/\//; // a drive of Windows has one letter
const CLASS = /(?<!\\)\[[!^]?\]?[^\]/]*\[[:.=]/; // such as [[:digit:]]

/**
 * @param before what the paths begin with: nothing, or a folder and a slash
 * @param seen where this has looked before, as `**` leads to a folder in several ways
 */
function* matching(before: string, [name = '', ...rest]: readonly string[], seen: Set<string>): Generator<string> {
  const place = `${rest.length} ${before}`;
  if (seen.has(place)) return;
  seen.add(place);
  if (!/[*?[\\]/.test(name)) {
    if (rest.length > 0) yield* matching(before + name + sep, rest, seen);
    else if (isThere(before + name) && !isFolder(before + name)) yield before + name;
    return;
  }
  const isAnyDepth = name === '**';
  if (isAnyDepth) yield* matching(before, rest, seen);
  const form = formOf(name);
  for (const entry of entriesOf(before)) {
    if (!form.test(entry.name)) continue;
    const path = before + entry.name;
    // `**` follows no links, which may lead back. What is last is never opened here, so that errors are not hidden.
    const isDirectory = entry.isDirectory() || (!isAnyDepth && entry.isSymbolicLink() && isFolder(path));
    if (isDirectory !== rest.length > 0) continue;
    if (entry.name.includes('\uFFFD') && !isThere(path)) throw new Error(`${path}: the name is not UTF-8. Rename it`);
    if (isDirectory) yield* matching(path + sep, isAnyDepth ? [name, ...rest] : rest, seen);
    else yield path;
  }
}

/** What the names of a pattern look like. Each text between stars is looked for once, so no pattern takes long. */
function formOf(pattern: string): RegExp {
  const form = pattern.replace(PARTS, (part, not, oneOf, character) => {
    if (oneOf === undefined) return { '*': '*', '?': '.' }[part as string] ?? literal(character);
    return `[${not && '^'}${oneOf.replace(/\\(.)|[^-]/gsu, (one: string, escaped = one) => literal(escaped))}]`;
  });
  const [first, ...others] = form.split('*');
  const last = others.pop();
  const between = others.map((text, i) => `(?=(.*?${text}))\\${i + 1}`).join('');
  const hidden = /^\\?\./.test(pattern) ? '' : '(?!\\.)';
  const whole = `^${hidden}${first}${between}${last === undefined ? '' : `.*${last}`}$`;
  try {
    return process.platform === 'win32' ? new RegExp(whole, 'isu') : new RegExp(whole, 'su');
  } catch {
    return /(?!)/; // such as `[z-a]`, which no name has
  }
}

// One of some characters, of which the first may be a bracket; or any other character, which may be escaped.
const PARTS = /\[([!^]|(?![!^]))((?:\\.|[^\\])(?:\\.|[^\]\\])*)\]|\\?(.)/gsu;
const literal = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** What is in a folder; nothing if it cannot be listed. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder || '.', { withFileTypes: true });
  } catch (error) {
    if (!UNLISTED.includes(String(detailsOf(error).code))) throw error;
    return [];
  }
}

const UNLISTED = ['EACCES', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EPERM'];

/** Whether there is such a file, or a link that leads nowhere. @param ifDenied the answer if this user may not know */
function isThere(path: string, ifDenied = false): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return ifDenied && detailsOf(error).code === 'EACCES';
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
