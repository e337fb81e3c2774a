import { run } from './program.js';

// The code that writes handles a failed write. Without these listeners, the process would end before that.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
