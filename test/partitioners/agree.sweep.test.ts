import { testAgreement } from './agreement.js';

testAgreement(20_000, true);
