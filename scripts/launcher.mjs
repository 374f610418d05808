// Compiles the launcher of commands, which saves each command the start of a shell and of perl. Without a C compiler, scripts do the same.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const folder = join(root, 'packages', 'hands', 'src', 'launch', 'compiled');
const sources = readdirSync(folder).toSorted();

/** Identifies the sources: a launcher of others is not used. */
export const launcherVersion = () =>
  sources
    .reduce((hash, name) => hash.update(`${name}\0`).update(readFileSync(join(folder, name))), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);

/**
 * The compilers by architecture, as Debian calls them, the best first. A static program of musl has 60 kB, starts faster than one with libraries,
 * and runs on any Linux; one of glibc would have 700 kB.
 */
const OWN = [['musl-gcc', '-static'], ['cc']];
const COMPILERS = { x64: [['x86_64-linux-gnu-gcc']], arm64: [['aarch64-linux-gnu-gcc']] };
const FLAGS = ['-Os', '-s', '-std=gnu11', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong', '-D_FORTIFY_SOURCE=2'];

/** Returns whether there is such a compiler, with the headers and the libraries of its system. */
function compile([compiler, ...flags], output) {
  const files = sources.filter((name) => name.endsWith('.c')).map((name) => join(folder, name));
  const words = [...flags, ...FLAGS, `-DLAUNCHER_VERSION="${launcherVersion()}"`, ...files, '-o', output];
  const { error, status, stderr } = spawnSync(compiler, words, { encoding: 'utf8' });
  if (error !== undefined || /fatal error: .*: No such file|cannot find -l/u.test(stderr)) return false;
  if (status !== 0) throw new Error(`${compiler} could not compile the launcher:\n${stderr}`);
  return true;
}

/** Writes the launcher for each architecture that a compiler is installed for; returns the architectures. */
export function writeLaunchers(targets) {
  const temporary = mkdtempSync(join(tmpdir(), 'synapse-launcher-'));
  try {
    return Object.entries(COMPILERS).flatMap(([arch, others]) => {
      const output = join(temporary, arch);
      const isOwn = process.platform === 'linux' && process.arch === arch;
      if (!(isOwn ? OWN : others).some((compiler) => compile(compiler, output))) return [];
      for (const target of targets) copyFileSync(output, join(target, `launcher-linux-${arch}`));
      return [arch];
    });
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
