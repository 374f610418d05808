// `npm run soak -- --minutes N --seed S [--calls N] [--host nats]`: remote calls while everything breaks that can.
import { join } from 'node:path';
import { pinnedNode, prepare, root, run } from './prepare.mjs';

await prepare();
const program = join(root, 'packages', 'remote', 'src', 'fixtures', 'soak-program.ts');
process.exitCode = run(pinnedNode(), ['--conditions=synapse-source', program, ...process.argv.slice(2)]);
