import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a generated file is missing, or older than one of its sources. */
export function isStale(made: readonly string[], sources: readonly string[]): boolean {
  if (!made.every((path) => existsSync(path))) return true;
  const changed = Math.max(...sources.flatMap(filesIn).map(modified));
  return made.some((path) => modified(path) < changed);
}

/** A file itself, or all files in a folder that are not generated. */
function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
  return entries.filter((entry) => !/\.generated\.ts$/.test(entry) && statSync(entry).isFile());
}

function modified(path: string): number {
  return statSync(path).mtimeMs;
}
