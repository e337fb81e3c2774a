// A thread of this package's own jobs.

import { AUDIT } from '../../rows/operations/audit.js';
import { LINE_WORK } from '../../rows/operations/operation.js';
import { SHARD_ROWS } from '../files/shard-files.js';
import { serve } from './serve.js';

serve({ ...LINE_WORK, shardRows: SHARD_ROWS, audit: AUDIT });
