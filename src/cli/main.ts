#!/usr/bin/env node
import { createRequire } from 'node:module';

// The command line is CommonJS: as ES modules it would start 2 to 4 ms later.
createRequire(import.meta.url)('./cli/start.cjs');
