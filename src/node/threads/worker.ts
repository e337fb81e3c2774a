// A thread of this package's own jobs.

import { LINE_WORK } from '../../lines/work.js';
import { serve } from './serve.js';

serve(LINE_WORK);
