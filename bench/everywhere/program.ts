// The program that every engine runs: a page, Node, Bun and Deno.
import { report } from '../../test/everywhere/program/report.js';
import { figures } from './figures.js';
import { measure } from './measure.js';

const { process, navigator } = globalThis as {
  process?: { versions: { bun?: string; deno?: string; node: string } };
  navigator?: { userAgent: string };
};
const { bun, deno, node } = process?.versions ?? {};

report(() =>
  measure(
    figures(),
    bun ?? deno ?? node ?? navigator?.userAgent ?? '',
    () => performance.now(),
    () => new Promise((resolve) => setTimeout(resolve)),
  ),
);
