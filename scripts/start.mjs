// `npm start`: installs, builds, then runs the main command on this repository. `npm start -- <command>` passes through;
// `npm start -- link` puts the command on the PATH.
import { join } from 'node:path';
import { link } from './link.mjs';
import { pinnedNode, prepare, root, run } from './prepare.mjs';

const given = process.argv.slice(2);
try {
  await prepare();
  const command = given.length > 0 ? given : ['resurrect', root];
  process.exitCode =
    given[0] === 'link'
      ? link(given.slice(1))
      : run(pinnedNode(), [join(root, 'packages', 'cli', 'bin', 'synapse.js'), ...command], {
          // npm runs scripts in the repository; relative folders refer to the folder of the user.
          cwd: process.env.INIT_CWD ?? root,
        });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 70;
}
