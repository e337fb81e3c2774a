import { createInterface } from 'node:readline';
import { UsageError } from './usage.js';

/** Refuses an action that needs a yes where nobody can be asked. To be called before anything is opened. */
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
  // Not as a terminal, so that Ctrl-C is the signal that it always is.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const { value: answer = '', done } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (done) process.stderr.write('\n'); // instead of the one that ends an answer
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('not confirmed; nothing was changed');
}
