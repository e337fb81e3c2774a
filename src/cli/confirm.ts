import { createInterface } from 'node:readline';
import { UsageError } from './usage.js';

/** Throws if an action needs confirmation and nobody can be asked. Call this before anything is opened. */
export function checkCanAsk(action: string, { yes }: { readonly yes?: boolean | undefined }): void {
  if (yes || process.stdin.isTTY) return;
  throw new UsageError(
    `${action} asks for confirmation, and standard input is not a terminal; add --yes to go ahead without being asked`,
  );
}

/**
 * Says on the terminal what an action does and asks whether to go ahead.
 * @throws Error unless the answer is yes
 */
export async function confirm(explanation: string): Promise<void> {
  process.stderr.write(`${explanation}\nGo ahead? [y/N] `);
  // In terminal mode Ctrl-C would not be a signal.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const { value: answer = '', done } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (done) process.stderr.write('\n'); // the user has not pressed Enter
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('not confirmed; nothing was changed');
}
