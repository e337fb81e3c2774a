import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Names that no file on Windows can have, or that mean something else there. */
export const NOT_ON_WINDOWS: readonly string[] = [
  ...['CON', 'con.x', 'PRN ', 'Aux', 'nul', 'NUL.tar', 'COM1', 'com9', 'lpt1.a.b', 'COM¹', 'LPT³', 'CONIN$', 'conout$'],
  ...['db:5432', 'a<', 'a>b', '"a"', 'a|b', 'a?', '*'],
];

/** Names that look like those, and are none once an ending such as `.txt` follows. */
export const ON_WINDOWS: readonly string[] = [
  'com',
  'com10',
  'console',
  'a.con',
  'null',
  'a.b',
  "a'b",
  '#1',
  'ä',
  '.a',
];

/** Has the code of this process take this for Windows, until the test ends. The file system stays as it is. */
export function onWindows(): void {
  const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  Object.defineProperty(process, 'platform', { ...own, value: 'win32' });
  onTestFinished(() => {
    Object.defineProperty(process, 'platform', own);
  });
}

type Name =
  | 'chmodSync'
  | 'copyFileSync'
  | 'linkSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync';

/**
 * Has calls of a function of `node:fs` fail as on another system, until the test ends.
 * @param codeOf the code of the error; undefined for a call that does what it always does
 */
export function failing<N extends Name>(name: N, codeOf: (...args: Parameters<(typeof fs)[N]>) => string | undefined) {
  const own = fs[name] as (...args: unknown[]) => unknown;
  const put = (value: unknown) => {
    Object.assign(fs, { [name]: value });
    syncBuiltinESMExports();
  };
  put((...args: Parameters<(typeof fs)[N]>) => {
    const code = codeOf(...args);
    if (code === undefined) return own(...args);
    throw Object.assign(new Error(`${code}: refused, ${name} '${args[0]}'`), { code });
  });
  onTestFinished(() => put(own));
}
