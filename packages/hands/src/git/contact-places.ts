import { lastValue, type RemoteSettings, remoteSettings } from '../danger/remote-settings.ts';
import { isOn, remotePlaces, usualRemote } from '../meaning/remote-addresses.ts';
import { type ConfigEntry, splitKey } from './git-config.ts';
import { readSmallFile } from './git-folder.ts';
import type { Repository } from './repository.ts';
import { isUserSetting } from './safe-config.ts';

const decoded = (text: string): string => Buffer.from(text, 'latin1').toString();

/** The settings of a repository, by name. */
function settingsOf(entries: readonly ConfigEntry[]): RemoteSettings {
  return remoteSettings(
    entries.map(({ key, value }) => {
      const { section, subsection = '', variable } = splitKey(key);
      return { name: `${section}.${variable}`, subsection: decoded(subsection), value: decoded(value ?? 'true') };
    }),
  );
}

/** The branch that is checked out; undefined if that is not known. */
function headOf(repository: Repository): { readonly branch: string | undefined } | undefined {
  const head = readSmallFile(repository.ownFolder, 'HEAD')?.toString().trim() ?? '';
  const branch = head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : undefined;
  // What HEAD says where references are a table.
  return head === '' || branch === '.invalid' ? undefined : { branch };
}

/** What git connects to. */
export interface ContactPlaces {
  readonly remote: string;
  /** Addresses without credentials. */
  readonly places: readonly string[];
  readonly settings: RemoteSettings;
  readonly branch: string | undefined;
  /** Whether what is remembered of the remote is of this place: fetches go there too. */
  readonly isRemembered: boolean;
}

/** Settings of a repository with which a connection goes elsewhere than to the host of its address. */
const ELSEWHERE: ReadonlySet<string> = new Set(
  (
    'core.sshcommand core.gitproxy http.proxy http.curloptresolve remote.proxy remote.uploadpack remote.receivepack fetch.bundleuri ' +
    'lfs.url lfs.pushurl remote.lfsurl remote.lfspushurl'
  ).split(' '),
);
/** Settings by which a fetch reads from several remotes. */
const SEVERAL = (settings: RemoteSettings): boolean =>
  settings.names().some((name) => name.startsWith('remotes.') || name === 'remote.skipfetchall' || name === 'remote.skipdefaultupdate');

/** What tells where git goes, read once. */
interface ContactView {
  readonly settings: RemoteSettings;
  readonly own: RemoteSettings;
  readonly branch: string | undefined;
}

/** Reads the settings of a repository; undefined if with them no place is certain. */
export function contactView(repository: Repository): ContactView | undefined {
  const head = headOf(repository);
  const own = settingsOf(repository.settings.filter((entry) => !isUserSetting(entry)));
  if (head === undefined || own.names().some((name) => ELSEWHERE.has(name))) return undefined;
  return { settings: settingsOf(repository.settings), own, branch: head.branch };
}

/**
 * Returns where git goes for a remote, an address, or neither; undefined if that is not certain. A command in the sandbox has few of the
 * person's settings, and one on the machine has all: where they matter, the place depends on that.
 */
export function contactPlaces({ settings, own, branch }: ContactView, given: string | undefined, kind: 'push' | 'fetch'): ContactPlaces | undefined {
  if (kind === 'fetch' && (SEVERAL(settings) || (given === undefined && isOn(lastValue(settings, 'fetch.all'))))) return undefined;
  const [remote, ofRepository] = [settings, own].map((view) => given ?? usualRemote(view, branch, kind));
  if (remote === undefined || remote !== ofRepository) return undefined;
  const places = remotePlaces(settings, remote, kind);
  if (places === undefined || JSON.stringify(places) !== JSON.stringify(remotePlaces(own, remote, kind))) return undefined;
  // What is missing in a partial clone comes from its remote.
  const isSame = JSON.stringify(places) === JSON.stringify(remotePlaces(settings, remote, 'fetch'));
  if (promisors(settings).some((promisor) => promisor !== remote || !isSame)) return undefined;
  return { remote, places, settings, branch, isRemembered: isSame };
}

const promisors = (settings: RemoteSettings): readonly string[] => [
  ...settings.subsections('remote.promisor'),
  ...settings.subsections('remote.partialclonefilter'),
  ...settings.all('extensions.partialclone'),
];
