import { splitKey, type ConfigEntry } from './git-config.ts';

/** The allowed origin of a setting: the user's files, the repository's, or either. */
type Origin = 'user' | 'repository' | 'any';

interface KeptSetting {
  readonly key: RegExp;
  readonly from: Origin;
  /** Allowed values. Default: any. */
  readonly value?: RegExp;
}

/**
 * The settings that git can see. A deny-list would never be complete: each git release can add a
 * setting that names a program. None of these does, except the standard filters of git-lfs.
 */
const KEPT: readonly KeptSetting[] = [
  // How the repository and its files are stored.
  { key: /^core\.repositoryformatversion$/u, from: 'repository' },
  // A partial clone fetches missing objects by running a transport; without the extension, git reports them as missing.
  { key: /^extensions\.(?!partialclone$|worktreeconfig$)[a-z0-9-]+$/u, from: 'repository' },
  { key: /^core\.(?:filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|longpaths)$/u, from: 'any' },
  { key: /^core\.(?:autocrlf|eol|sparsecheckout|sparsecheckoutcone|abbrev)$/u, from: 'any' },
  // Which branch tracks which.
  { key: /^branch\..*\.(?:remote|merge)$/su, from: 'any' },
  { key: /^remote\..*\.(?:url|fetch)$/su, from: 'any' },
  // Paths of files to read: from the repository they could name a pipe or a device.
  { key: /^core\.(?:excludesfile|attributesfile)$/u, from: 'user' },
  // What `git lfs install` writes, with and without --skip-smudge. Without these, files in LFS appear changed.
  { key: /^filter\.lfs\.clean$/u, from: 'user', value: /^git-lfs clean -- %f$/u },
  { key: /^filter\.lfs\.smudge$/u, from: 'user', value: /^git-lfs smudge (?:--skip )?-- %f$/u },
  { key: /^filter\.lfs\.process$/u, from: 'user', value: /^git-lfs filter-process(?: --skip)?$/u },
  { key: /^filter\.lfs\.required$/u, from: 'user', value: /^true$/u },
];

const USER_SCOPES: ReadonlySet<string> = new Set(['system', 'global', 'command']);

/** Whether the user, and not the repository, made a setting. */
export function isUserSetting(entry: ConfigEntry): boolean {
  return USER_SCOPES.has(entry.scope);
}

function isKept(entry: ConfigEntry): boolean {
  const origin: Origin = isUserSetting(entry) ? 'user' : 'repository';
  return KEPT.some(
    ({ key, from, value }) => (from === 'any' || from === origin) && key.test(entry.key) && (value === undefined || value.test(entry.value ?? '')),
  );
}

/** Replaces the URL, which is never used and may contain a password: git only needs one to be present. */
function withoutUrl(entry: ConfigEntry): ConfigEntry {
  return /^remote\..*\.url$/su.test(entry.key) ? { ...entry, value: '.' } : entry;
}

/** Returns the settings that git may see. */
export function safeConfig(entries: readonly ConfigEntry[]): ConfigEntry[] {
  // A header line cannot contain a newline, so no file can have set such a key.
  const kept = entries.filter((entry) => isKept(entry) && !/[\n\0]/u.test(entry.key)).map(withoutUrl);
  return [...kept, { scope: 'command', key: 'core.bare', value: 'false' }];
}

/** Returns the names of content filters that are left out. The files they rewrite may appear changed. */
export function filtersLeftOut(entries: readonly ConfigEntry[]): string[] {
  const names = new Set<string>();
  for (const entry of entries) {
    const { section, subsection, variable } = splitKey(entry.key);
    if (section === 'filter' && ['clean', 'process'].includes(variable) && (entry.value ?? '') !== '' && !isKept(entry)) names.add(subsection ?? '');
  }
  return [...names].toSorted();
}

/** Returns the names of the remotes that have a URL. */
export function remoteNames(entries: readonly ConfigEntry[]): string[] {
  const names = new Set<string>();
  for (const { key } of entries) {
    const { section, subsection, variable } = splitKey(key);
    if (section === 'remote' && variable === 'url' && subsection !== undefined) names.add(subsection);
  }
  return [...names];
}

/** Whether objects may be missing because a remote promised them. */
export function isPartialClone(entries: readonly ConfigEntry[]): boolean {
  return entries.some(({ key }) => key === 'extensions.partialclone' || /^remote\..*\.promisor$/su.test(key));
}
