// Long runs with random input. `npm run soak -- --minutes N --seed S [--calls N] [--host nats]`: remote calls while everything breaks that can.
// `npm run soak -- history --minutes N --seed S [--host node|nats|workerd] [--sealed]`: compares what ran with the answers.
// `npm run soak -- search FOLDER… [--queries N] [--races N] [--seconds N] [--seed S]`: answers by the index against ripgrep, and after changes.
// `npm run soak -- rename FOLDER… [--symbols N] [--seed S]`: renames in repositories, checked by their compilers.
import { join } from 'node:path';
import { pinnedNode, prepare, root, run } from './prepare.mjs';

const PROGRAMS = {
  remote: 'remote/src/fixtures/soak-program.ts',
  history: 'remote/src/fixtures/history-program.ts',
  search: 'hands/src/testing/search-soak.ts',
  rename: 'hands/src/testing/rename-soak.ts',
};

await prepare();
const [first = '', ...rest] = process.argv.slice(2);
const isNamed = Object.hasOwn(PROGRAMS, first);
const program = join(root, 'packages', PROGRAMS[isNamed ? first : 'remote']);
process.exitCode = run(pinnedNode(), ['--conditions=synapse-source', program, ...(isNamed ? rest : process.argv.slice(2))]);
