// What a bundler has to make one program of.
import { peers } from './peers.js';
import { portable } from './portable.js';
import { report } from './report.js';

report(() => portable('', undefined, peers));
