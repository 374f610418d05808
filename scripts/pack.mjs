// `npm run pack`: builds, and writes the tarballs of all packages to `artifacts/`, to check what would be published.
// `-- --repository https://…` names the repository in each; a GitHub workflow names its own.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root, run } from './prepare.mjs';
import { repositoryAddress, withRepository } from './repository.mjs';

/** Folders of a package that no tarball has; the copies are made without them. */
const LEFT_OUT = new Set(['node_modules', 'src']);

/** Copies the packages, so that their manifests can be changed; returns the folders. */
function copies(folder, address) {
  return readdirSync(join(root, 'packages')).map((name) => {
    const copy = join(folder, name);
    cpSync(join(root, 'packages', name), copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
    const manifest = join(copy, 'package.json');
    writeFileSync(manifest, `${JSON.stringify(withRepository(JSON.parse(readFileSync(manifest, 'utf8')), `packages/${name}`, address), null, 2)}\n`);
    return copy;
  });
}

function pack() {
  const { repository } = parseArgs({ options: { repository: { type: 'string' } } }).values;
  const address = repositoryAddress(repository, process.env);
  const folder = join(root, 'artifacts');
  const temporary = mkdtempSync(join(tmpdir(), 'synapse-pack-'));
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const npm = process.env.npm_execpath;
    const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
    const options = { shell: process.platform === 'win32' && first.length === 0 };
    const code = run(command, [...first, 'pack', ...copies(temporary, address), '--pack-destination', folder, '--loglevel=error'], options);
    if (code === 0) process.stderr.write(`The packages are in ${folder}\n`);
    return code;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

try {
  await prepare();
  process.exitCode = pack();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
