// For NODE_OPTIONS, which threads have, too: every thread except the main one ends after a while, with exit code 3.
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) setTimeout(() => process.exit(3), 30);
