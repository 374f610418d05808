import { devNull } from 'node:os';

/**
 * Settings that override all others, whatever a future git does with its files: nothing is executed,
 * nothing is fetched, and the output has the same format on every machine.
 */
const OVERRIDES: ReadonlyArray<readonly [string, string]> = [
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.hooksPath', devNull],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.sshCommand', 'false'],
  ['core.askPass', 'false'],
  ['credential.helper', ''],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  // git in a submodule is a child without these settings: it must not be started.
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['color.ui', 'false'],
  ['core.quotePath', 'false'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  // Larger contents are streamed or shown as binary and never loaded.
  ['core.bigFileThreshold', '64m'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** Variables that are the same for every run of git. */
const FIXED: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_ALLOW_PROTOCOL: '',
  // Messages are matched to identify errors, so they must not be translated.
  LC_ALL: 'C',
  LANGUAGE: '',
};

/** Returns the environment for listing a repository's settings: all are read, and none takes effect. */
export function listingEnvironment(gitFolder: string, commonFolder: string): Record<string, string> {
  return { ...FIXED, GIT_DIR: gitFolder, GIT_COMMON_DIR: commonFolder };
}

/** Returns the environment for working on a repository through its shadow folder; see `shadow-git-dir.ts`. */
export function repositoryEnvironment(shadow: string): Record<string, string> {
  const settings = OVERRIDES.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...FIXED,
    GIT_DIR: shadow,
    // The working directory, which is held by handle.
    GIT_WORK_TREE: '.',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_COUNT: String(OVERRIDES.length),
    ...Object.fromEntries(settings),
  };
}

/** The command line before every subcommand. */
export const GIT: readonly [string, ...string[]] = ['git', '--no-pager', '--no-optional-locks', '--literal-pathspecs'];

export const LIST_SETTINGS: readonly string[] = ['config', '--list', '--includes', '--show-scope', '-z'];

/**
 * Milliseconds for the list of settings. A repository may name a pipe as a file to include: where what git reads is watched, that
 * is seen at once. A machine with much to do may take seconds for an honest list.
 */
export const LIST_MS = 10_000;
/** Address space for the list of settings, in KiB: 512 MiB. git keeps each file in memory, and needs about 50 MiB without any. */
export const LIST_MEMORY_KIB = 512 * 1024;
