// `npm run bench [-- group …]`: measures, next to peers, and writes bench/RESULTS.md.
import { join } from 'node:path';
import { pinnedNode, prepare, root, run } from './prepare.mjs';

await prepare();
process.exitCode = run(pinnedNode(), [join(root, 'bench', 'run.ts'), ...process.argv.slice(2)]);
