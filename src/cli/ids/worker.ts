// A thread of the commands that decode and encode.

import { serve } from '../../node/threads/serve.js';
import { decode } from './decode-rows.js';
import { encode } from './encode-rows.js';

serve({ decode, encode });
