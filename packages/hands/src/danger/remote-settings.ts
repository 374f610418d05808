/** The settings that git uses for a repository, decoded. */
export interface RemoteSettings {
  /** All values of a setting, in order: `all('remote.url', 'origin')`. */
  readonly all: (name: string, subsection?: string) => readonly string[];
  /** The subsections that have the setting: `subsections('remote.url')` are the remotes. */
  readonly subsections: (name: string) => readonly string[];
  /** The names of all settings: `remote.url`. */
  readonly names: () => readonly string[];
  /** An address after the longest prefix that a setting such as `url.insteadof` replaces; undefined if none applies. */
  readonly rewritten: (setting: string, address: string) => string | undefined;
}

/** Replaces prefixes. A lookup for each length: there can be as many prefixes as addresses, and each has to be looked up. */
function rewriter(bases: ReadonlyMap<string, readonly string[]> | undefined): (address: string) => string | undefined {
  const byPrefix = new Map<string, string>();
  for (const [base, prefixes] of bases ?? []) for (const prefix of prefixes) if (!byPrefix.has(prefix)) byPrefix.set(prefix, base);
  const lengths = [...new Set([...byPrefix.keys()].map(({ length }) => length))].toSorted((one, other) => other - one);
  return (address) => {
    const length = lengths.find((one) => one > 0 && one <= address.length && byPrefix.has(address.slice(0, one)));
    return length === undefined ? undefined : `${byPrefix.get(address.slice(0, length))}${address.slice(length)}`;
  };
}

/** Returns settings by name. Each has a name in lower case without the subsection, and a value as git interprets it. */
export function remoteSettings(settings: Iterable<{ readonly name: string; readonly subsection: string; readonly value: string }>): RemoteSettings {
  const values = new Map<string, Map<string, string[]>>();
  for (const { name, subsection, value } of settings) {
    const known = values.get(name) ?? new Map<string, string[]>();
    values.set(name, known);
    const list = known.get(subsection) ?? [];
    known.set(subsection, list);
    list.push(value);
  }
  const rewriters = new Map<string, (address: string) => string | undefined>();
  return {
    all: (name, subsection = '') => values.get(name)?.get(subsection) ?? [],
    subsections: (name) => [...(values.get(name)?.keys() ?? [])].filter((subsection) => subsection !== ''),
    names: () => [...values.keys()],
    rewritten(setting, address) {
      const known = rewriters.get(setting) ?? rewriter(values.get(setting));
      rewriters.set(setting, known);
      return known(address);
    },
  };
}

/** Returns the value of a setting that is given once or more: the last one. */
export const lastValue = (settings: RemoteSettings, name: string, subsection?: string): string | undefined => settings.all(name, subsection).at(-1);

/** What a setting names: a remote, or an address. */
export interface Named {
  readonly value: string;
  readonly setting: string;
}

/** The remote that settings choose for a branch; undefined if they choose none. */
export function chosenRemote(settings: RemoteSettings, branch: string | undefined, kind: 'push' | 'fetch'): Named | undefined {
  const ofBranch = (setting: string): string | undefined => (branch === undefined ? undefined : lastValue(settings, setting, branch));
  const choices = [...(kind === 'push' ? (['branch.pushremote', 'remote.pushdefault'] as const) : []), 'branch.remote'].map((setting) => ({
    setting,
    value: setting === 'remote.pushdefault' ? lastValue(settings, setting) : ofBranch(setting),
  }));
  const choice = choices.find(({ value }) => value !== undefined);
  return choice?.value === undefined ? undefined : { value: choice.value, setting: choice.setting };
}

/**
 * Returns the addresses that git connects to, each with the setting that leads there.
 *
 * @param urls the addresses of a remote, or one that is given in its place
 * @param pushUrls its addresses for pushes; empty for a fetch
 */
export function finalAddresses(
  settings: RemoteSettings,
  urls: readonly Named[],
  pushUrls: readonly Named[],
  kind: 'push' | 'fetch',
): readonly Named[] {
  const led = ({ value }: Named, setting: string): Named | undefined => {
    const address = settings.rewritten(setting, value);
    return address === undefined ? undefined : { value: address, setting };
  };
  const replaced = (named: Named): Named => led(named, 'url.insteadof') ?? named;
  if (pushUrls.length > 0) return pushUrls.map(replaced);
  const elsewhere = kind === 'push' ? urls.flatMap((named) => led(named, 'url.pushinsteadof') ?? []) : [];
  return elsewhere.length > 0 ? elsewhere : urls.map(replaced);
}

/** The addresses that settings give a remote. */
export const addressesOf = (settings: RemoteSettings, setting: 'remote.url' | 'remote.pushurl', remote: string): readonly Named[] =>
  settings.all(setting, remote).map((value) => ({ value, setting }));
