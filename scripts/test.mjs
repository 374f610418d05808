// `npm test`: runs all checks.
import { installNodeVersions } from './node-versions.mjs';
import { runAll } from './steps.mjs';

// As in CI: programs started by tests write other files if it is set.
process.env.CI ??= 'true';
const filters = process.argv.slice(2);
if (filters.length === 0) installNodeVersions();
await runAll(filters);
