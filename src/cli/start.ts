import { run } from './program.js';

// The code that writes handles a failed write. Without these listeners, the process would end before that.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exitCode = 13; // as Node.js says it, if nothing is left to wait for before the command is done
run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
