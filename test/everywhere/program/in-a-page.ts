import { portable } from './portable.js';
import { report } from './report.js';

report(() => portable(navigator.userAgent, () => fetch('/node_modules/shardbits/dist/core.wasm')));
