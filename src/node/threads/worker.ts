// A thread of this package's own jobs.

import { AUDIT } from '../../lines/audit.js';
import { LINE_WORK } from '../../lines/work.js';
import { SHARD_ROWS } from '../files/shard-files.js';
import { serve } from './serve.js';

serve({ ...LINE_WORK, shardRows: SHARD_ROWS, audit: AUDIT });
