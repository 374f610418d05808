// `npm run check`: the inner loop, under a minute: types, lint, format, and the tests that start no processes.
import { runQuickly } from './steps.mjs';

await runQuickly();
