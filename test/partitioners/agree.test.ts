import { testAgreement } from './agreement.js';

testAgreement(500, false);
