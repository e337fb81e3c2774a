import { testAgreement } from './agreement.js';

testAgreement(1000, false);
