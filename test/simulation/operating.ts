import type { Store } from '../../src/registry/index.js';
import { Memory } from '../../src/registry/stores/memory.js';
import { overriding } from '../support/overriding.js';
import { snapshot } from './network.js';
import { newMemory, type Place, using } from './states.js';
import { holdingsOf, isOfStores, STEPS, STEPS_WITH_TWO, type Step, take } from './steps.js';
import { Random } from './world.js';
