import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Independent of the user's settings and name. */
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05+02:00',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05+02:00',
};

/** Runs plain git with the settings of the repository. For tests. */
export function git(folder: string, ...rest: string[]): string {
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...rest], { cwd: folder, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
}

/** Runs plain git and ignores failures. */
export function tryGit(folder: string, ...rest: string[]): void {
  try {
    git(folder, ...rest);
  } catch {
    // The caller does not check for success.
  }
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Creates a repository; with files, it has one commit. */
export function initRepository(folder: string, files: Readonly<Record<string, string | Uint8Array>> = {}): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  if (Object.keys(files).length === 0) return;
  write(folder, files);
  commitAll(folder, 'first');
}

/** Sets the author of commits that commands make in a repository. */
export function setAuthor(folder: string): void {
  for (const [key, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' })) git(folder, 'config', key, value);
}

export function commitAll(folder: string, message: string): string {
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--allow-empty', '-m', message);
  return git(folder, 'rev-parse', 'HEAD');
}
