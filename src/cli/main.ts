#!/usr/bin/env node
import { run } from './program.js';

// A failed write is seen by whoever wrote; without these, it would end the process before that.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2));
