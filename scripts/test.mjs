// `npm test`: runs the checks that each commit needs, or the tests that its words name. `npm run test:all`: runs everything, as CI does.
import { runAll, runNamed, runUsual } from './steps.mjs';

// As in CI: programs started by tests write other files if it is set.
process.env.CI ??= 'true';
const words = process.argv.slice(2);
if (words[0] === '--all') await runAll();
else if (words.length > 0) await runNamed(words);
else await runUsual();
