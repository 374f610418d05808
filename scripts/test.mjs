// `npm test`: everything there is to check.
import { ALL_CHECKS, runSteps } from './steps.mjs';

const filters = process.argv.slice(2);
runSteps({ checks: filters.length > 0 ? [] : ALL_CHECKS, tests: filters });
