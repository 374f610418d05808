// `npm run pack`: builds, and writes the tarballs of all packages to `artifacts/`, to check what would be published.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run } from './prepare.mjs';

const folder = join(root, 'artifacts');
await prepare();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const npm = process.env.npm_execpath;
const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
process.exitCode = run(command, [...first, 'pack', '--workspaces', '--pack-destination', folder, '--loglevel=error'], {
  shell: process.platform === 'win32' && first.length === 0,
});
