// `npm run check`: the inner loop, under a minute.
import { runSteps } from './steps.mjs';

await runSteps({ checks: ['types', 'lint', 'format'], tests: ['packages/'] });
