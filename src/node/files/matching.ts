import { existsSync, readdirSync, statSync } from 'node:fs';
import { normalize } from 'node:path';
import { checkString, wrongKind, wrongValue } from '../../arguments.js';

/**
 * The files that paths and patterns name, as a shell finds them: `*` and `?` stand for characters of a name, `[a-z]` and
 * `[!a-z]` for one of them, and `**` for folders within folders. Names that begin with a dot are found only by a pattern that
 * does. A path is no pattern if there is such a file, and so is `-`. Shells of Windows leave patterns to programs.
 * @returns the paths as they are, and in the place of a pattern the files that it finds, in the order of their names
 * @throws TypeError or RangeError if `input` is not a list of paths and patterns; Error for a pattern of no file
 * @example
 * matchingFiles(['users.csv', 'data/*.csv']); // ['users.csv', 'data/1.csv', 'data/2.csv']
 */
export function matchingFiles(input: readonly string[]): string[] {
  if (!Array.isArray(input)) throw wrongKind('input', 'a list of paths', input);
  return input.flatMap((path) => {
    if (!GLOB.test(checkString('input', path)) || existsSync(path)) return [path];
    if (URL_FORM.test(path)) throw wrongValue('input', 'files: read others in DuckDB by shardbits/duckdb', path);
    const found = [...matching('', path.split(process.platform === 'win32' ? /[\\/]/ : '/'))];
    if (found.length === 0) throw new Error(`${path}: no file has such a name`);
    return [...new Set(found)].sort().map(normalize);
  });
}

const GLOB = /[*?[]/;
const URL_FORM = /^\w{2,}:\/\//; // a drive of Windows has one letter

/** @param before what the paths begin with: nothing, or a folder and a slash */
function* matching(before: string, [name = '', ...rest]: readonly string[]): Generator<string> {
  if (!GLOB.test(name)) {
    if (rest.length > 0) yield* matching(`${before}${name}/`, rest);
    else if (isFile(before + name)) yield before + name;
    return;
  }
  const isAnyDepth = name === '**';
  if (isAnyDepth) yield* matching(before, rest.length > 0 ? rest : ['*']);
  const form = formOf(name);
  if (before !== '' && !isFolder(before)) return;
  for (const entry of readdirSync(before || '.', { withFileTypes: true })) {
    if (!form.test(entry.name)) continue;
    const path = before + entry.name;
    if (isAnyDepth) {
      if (entry.isDirectory()) yield* matching(`${path}/`, [name, ...rest]); // not a link, which may lead back
    } else if (rest.length > 0) yield* matching(`${path}/`, rest);
    else if (isFile(path)) yield path;
  }
}

/** What the names of a pattern look like. */
function formOf(pattern: string): RegExp {
  const form = pattern.replace(/\[([!^]?)(\[|[^[\]]+)\]|\*+|\?|[\\^$.|+(){}[\]]/gu, (part, not, characters) => {
    if (characters !== undefined) return `[${not ? '^' : ''}${characters.replace(/[\\[\]^]/g, '\\$&')}]`;
    return { '*': '.*', '?': '.' }[part[0] as string] ?? `\\${part}`;
  });
  const whole = `^${pattern.startsWith('.') ? '' : '(?!\\.)'}${form}$`;
  try {
    return process.platform === 'win32' ? new RegExp(whole, 'isu') : new RegExp(whole, 'su');
  } catch {
    return /(?!)/; // such as `[z-a]`, which no name has
  }
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
