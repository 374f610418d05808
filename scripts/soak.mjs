// `npm run soak -- --minutes N --seed S [--calls N] [--host nats]`: remote calls while everything breaks that can.
// `npm run soak -- history --minutes N --seed S [--host node|nats|workerd] [--sealed]`: compares what ran with what was told.
import { join } from 'node:path';
import { pinnedNode, prepare, root, run } from './prepare.mjs';

await prepare();
const fixtures = join(root, 'packages', 'remote', 'src', 'fixtures');
const [first, ...rest] = process.argv.slice(2);
const isHistory = first === 'history';
const program = isHistory ? join(fixtures, 'history-program.ts') : join(fixtures, 'soak-program.ts');
process.exitCode = run(pinnedNode(), ['--conditions=synapse-source', program, ...(isHistory ? rest : process.argv.slice(2))]);
