import { splitKey, type ConfigEntry } from './git-config.ts';

/** Who may set a value: only the user's own files, or only the repository's, or either. */
type Origin = 'user' | 'repository' | 'any';

interface KeptSetting {
  readonly key: RegExp;
  readonly from: Origin;
  /** Where given, any other value is left out. */
  readonly value?: RegExp;
}

/**
 * The settings that git gets to see. A list of what to forbid is never complete: each git release can
 * add a setting that names a program. Nothing here does, but for the stock filters of git-lfs.
 */
const KEPT: readonly KeptSetting[] = [
  // How the repository and its files are stored.
  { key: /^core\.repositoryformatversion$/u, from: 'repository' },
  // A partial clone fetches what is missing by running a transport; without the extension it reports it missing.
  { key: /^extensions\.(?!partialclone$|worktreeconfig$)[a-z0-9-]+$/u, from: 'repository' },
  { key: /^core\.(?:filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|longpaths)$/u, from: 'any' },
  { key: /^core\.(?:autocrlf|eol|sparsecheckout|sparsecheckoutcone|abbrev)$/u, from: 'any' },
  // Which branch follows which.
  { key: /^branch\..*\.(?:remote|merge)$/su, from: 'any' },
  { key: /^remote\..*\.(?:url|fetch)$/su, from: 'any' },
  // Paths of files to read: from the repository they could name a pipe or a device.
  { key: /^core\.(?:excludesfile|attributesfile)$/u, from: 'user' },
  // What `git lfs install` writes, with and without --skip-smudge; without it, files in LFS look changed.
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

/** The URL itself is never used, and may hold a password: git only wants to see that there is one. */
function withoutUrl(entry: ConfigEntry): ConfigEntry {
  return /^remote\..*\.url$/su.test(entry.key) ? { ...entry, value: '.' } : entry;
}

/** What git may see of a list of settings. */
export function safeConfig(entries: readonly ConfigEntry[]): ConfigEntry[] {
  // A header line cannot hold a newline: no file can have set such a key.
  const kept = entries.filter((entry) => isKept(entry) && !/[\n\0]/u.test(entry.key)).map(withoutUrl);
  return [...kept, { scope: 'command', key: 'core.bare', value: 'false' }];
}

/** Content filters that are left out, by name: files they would rewrite may look changed. */
export function filtersLeftOut(entries: readonly ConfigEntry[]): string[] {
  const names = new Set<string>();
  for (const entry of entries) {
    const { section, subsection, variable } = splitKey(entry.key);
    if (section === 'filter' && ['clean', 'process'].includes(variable) && (entry.value ?? '') !== '' && !isKept(entry)) names.add(subsection ?? '');
  }
  return [...names].toSorted();
}

/** Names of the remotes that have a URL. */
export function remoteNames(entries: readonly ConfigEntry[]): string[] {
  const names = new Set<string>();
  for (const { key } of entries) {
    const { section, subsection, variable } = splitKey(key);
    if (section === 'remote' && variable === 'url' && subsection !== undefined) names.add(subsection);
  }
  return [...names];
}

/** Whether objects may be missing here because a remote promised them. */
export function isPartialClone(entries: readonly ConfigEntry[]): boolean {
  return entries.some(({ key }) => key === 'extensions.partialclone' || /^remote\..*\.promisor$/su.test(key));
}
