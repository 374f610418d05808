// `npm test`: runs all checks.
import { runAll } from './steps.mjs';

// As in CI: programs started by tests write other files if it is set.
process.env.CI ??= 'true';
await runAll(process.argv.slice(2));
