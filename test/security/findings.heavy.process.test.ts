import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { fill, FILES, FINDINGS, IGNORED, LINKS, MODES } from './finding-rows.ts';

const TRY = fileURLToPath(new URL('fixtures/try-findings.ts', import.meta.url));
const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

/** The program before a command that runs it as another user. */
const AS: Readonly<Record<string, readonly string[]>> =
  process.getuid?.() === 0
    ? { root: [], 'an ordinary user': ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] }
    : { 'an ordinary user': [] };

/** Whether a user can run programs of this checkout, which may be in a closed folder. */
function canRun(as: readonly string[]): boolean {
  const [program, ...words] = [...as, process.execPath, '--check', TRY];
  return spawnSync(program, words, { cwd: '/' }).status === 0;
}

const git = (cwd: string, ...words: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main', ...words], { cwd, stdio: 'ignore' });

/** Fills a folder and commits all of it in a repository. */
function commit(repository: string, folder: string): void {
  fill(folder, FILES);
  for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, join(folder, path));
  git(repository, 'init', '-q');
  git(repository, 'add', '-A');
  git(repository, 'commit', '-qm', 'first');
}

/** Makes a place, and returns the folder that is the workspace. */
const PLACES: Readonly<Record<string, (base: string) => string>> = {
  'the workspace': (base) => {
    const root = join(base, 'w');
    mkdirSync(root);
    commit(root, root);
    return root;
  },
  'a subfolder': (base) => {
    const repository = join(base, 'w');
    const folder = join(repository, 'packages/p');
    mkdirSync(folder, { recursive: true });
    commit(repository, folder);
    return folder;
  },
  'a clone': (base) => {
    const source = join(base, 'source');
    mkdirSync(source);
    commit(source, source);
    git(base, 'clone', '-q', source, 'w');
    return join(base, 'w');
  },
};

const CELLS = Object.entries(AS).flatMap(([user, as]) => Object.entries(PLACES).map(([place, make]) => ({ user, as, place, make })));

describe.skipIf(!hasSandbox).each(CELLS)('what was found once, as $user in $place', ({ as, make }) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-findings-')));
  let isTried = false;
  let happened: Record<string, unknown>;

  beforeAll(async () => {
    isTried = canRun(as);
    if (!isTried) return;
    const workspace = make(base);
    fill(workspace, IGNORED);
    const state = join(base, 's');
    mkdirSync(state);
    chmodSync(base, 0o755);
    if (as.length > 0) execFileSync('chown', ['-Rh', '65534:65534', base]);
    const [program, ...words] = [...as, process.execPath, TRY, workspace, state];
    const { stdout } = await promisify(execFile)(program, words, { cwd: base, env: { PATH: process.env['PATH'], HOME: state } });
    happened = JSON.parse(stdout) as Record<string, unknown>;
  }, 240_000);

  it.for(
    MODES.flatMap((mode) =>
      Object.entries(FINDINGS).map(([name, finding]) => [mode, name, finding.expected[mode] ?? finding.expected.other] as const),
    ),
  )('mode %s: %s', ([mode, name, expected], { skip }) => {
    // A visible skip: what could not be tried has not passed.
    if (!isTried) skip();
    expect(happened[`${mode} ${name}`]).toEqual(expected);
  });
});
