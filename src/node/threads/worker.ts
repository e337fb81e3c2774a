// A thread of this package's own jobs.

import { COMPARE } from '../../rows/operations/compare.js';
import { DECODE } from '../../rows/operations/decode.js';
import { ENCODE } from '../../rows/operations/encode.js';
import { HASH, ROUTE } from '../../rows/operations/route.js';
import { ROUTE_TO_FILES } from '../files/shard-files.js';
import { serve } from './serve.js';

serve([ROUTE, ROUTE_TO_FILES, HASH, COMPARE, DECODE, ENCODE]);
