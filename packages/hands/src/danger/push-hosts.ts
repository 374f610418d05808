import { readAddress, withoutCredentials } from './git-address.ts';
import { type GitSetting, plainValue, readSettings } from './git-settings.ts';
import { addressesOf, chosenRemote, finalAddresses, type Named, remoteSettings } from './remote-settings.ts';

/** Returns the host of an address; undefined for the name of a remote. A path is a place of its own, as is an address without a certain host. */
function hostOf(value: string): string | undefined {
  return readAddress(value)?.host ?? (/^[./\\~].*[/\\]|:\/\//u.test(value) ? value : undefined);
}

/** A host, and the setting that leads there. */
interface Target {
  readonly host: string;
  readonly setting: string;
}

/** Where each remote, branch and submodule leads a push, or a fetch of what is then run. */
function targetsOf(given: readonly GitSetting[]): Map<string, readonly Target[]> {
  const settings = remoteSettings(given.map((setting) => ({ ...setting, value: plainValue(setting.value) })));
  const inSection = (section: string): readonly string[] => [
    ...new Set(given.flatMap(({ name, subsection }) => (name.startsWith(`${section}.`) ? [subsection] : []))),
  ];
  /** What chooses the address is said, unless another setting rewrites that. */
  const hostsOf = (addresses: readonly Named[], chooser?: string): readonly Target[] => {
    const hosts = new Map<string, string>();
    for (const { value, setting } of addresses) {
      const host = hostOf(value);
      if (host !== undefined && !hosts.has(host)) hosts.set(host, chooser === undefined || setting.startsWith('url.') ? setting : chooser);
    }
    return [...hosts].map(([host, setting]) => ({ host, setting }));
  };
  // Each list is made once: as many branches can share a remote as that has addresses.
  const lists = new Map<string, readonly Target[]>();
  const ofRemote = (remote: string, kind: 'push' | 'fetch', chooser?: string): readonly Target[] => {
    const key = JSON.stringify([remote, kind, chooser]);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const pushUrls = kind === 'push' ? addressesOf(settings, 'remote.pushurl', remote) : [];
    const isLed = hostsOf(pushUrls).length > 0;
    const found = hostsOf(finalAddresses(settings, addressesOf(settings, 'remote.url', remote), isLed ? pushUrls : [], kind), chooser);
    lists.set(key, found);
    return found;
  };
  const through = (chosen: Named | undefined): readonly Target[] => {
    if (chosen === undefined) return [];
    const led = ofRemote(chosen.value, 'push', chosen.setting);
    return led.length > 0 ? led : hostsOf(finalAddresses(settings, [chosen], [], 'push'));
  };
  const usual = chosenRemote(settings, undefined, 'push');
  const targets = new Map<string, readonly Target[]>([['', usual === undefined ? ofRemote('origin', 'push') : through(usual)]]);
  for (const remote of inSection('remote')) {
    targets.set(`remote ${remote}`, ofRemote(remote, 'push'));
    targets.set(`fetch ${remote}`, ofRemote(remote, 'fetch'));
  }
  for (const branch of inSection('branch')) targets.set(`branch ${branch}`, through(chosenRemote(settings, branch, 'push')));
  for (const submodule of inSection('submodule')) {
    const urls = settings.all('submodule.url', submodule).map((value) => ({ value, setting: 'submodule.url' }));
    targets.set(`submodule ${submodule}`, hostsOf(finalAddresses(settings, urls, [], 'fetch')));
  }
  return targets;
}

const shown = (host: string): string =>
  withoutCredentials(host)
    .replaceAll(/[^\x21-\x7e…]/gu, '?')
    .slice(0, 80);

/**
 * Returns the settings that lead a push of a remote or branch, or a submodule, to a host where it did not go before, with both hosts.
 * The first host of a repository is no change; neither is a new branch that goes where a remote goes already.
 */
export function newPushHosts(before: readonly GitSetting[], after: readonly GitSetting[]): string[] {
  const old = targetsOf(before);
  const known = new Set([...new Set(old.values())].flatMap((targets) => targets.map(({ host }) => host)));
  if (known.size === 0) return [];
  const found = new Set<string>();
  const compared = new Map<readonly Target[], Set<readonly Target[]>>();
  for (const [key, targets] of targetsOf(after)) {
    const past = old.get(key) ?? NOWHERE;
    // A submodule may be anywhere when it is added.
    if (past.length === 0 && key.startsWith('submodule ')) continue;
    const done = compared.get(targets) ?? new Set();
    compared.set(targets, done);
    if (done.has(past)) continue;
    done.add(past);
    for (const one of newTargets(targets, past, known)) found.add(one);
    // One suffices for a question, and there can be as many as branches times addresses.
    if (found.size >= MAX_FOUND) break;
  }
  return [...found].slice(0, MAX_FOUND);
}

const NOWHERE: readonly Target[] = [];
/** Maximum number of new hosts that are looked for. */
const MAX_FOUND = 100;

function newTargets(targets: readonly Target[], past: readonly Target[], known: ReadonlySet<string>): string[] {
  const isNew = past.length === 0;
  const were = isNew ? known : new Set(past.map(({ host }) => host));
  const instead = isNew ? '' : ` instead of ${shown([...were].join(', '))}`;
  return targets.flatMap(({ host, setting }) => (were.has(host) ? [] : [`${setting} to ${shown(host)}${instead}`]));
}

/** Settings that decide in whose name commits are made and where pushes and fetches go. */
const SHOWN =
  /^(?:user\.(?:name|email|signingkey)|remote\.(?:url|pushurl|push|pushdefault|mirror)|branch\.(?:remote|pushremote)|submodule\.url|push\.default)$/u;
/** Those that every new branch brings. Shown only when there was another value. */
const USUAL_WHEN_NEW = /^branch\./u;
/** Maximum number of settings, and of characters of a value. */
const MAX_EFFECTS = 8;
const MAX_VALUE = 100;

/** The last value of each such setting, which is the one that applies; of addresses, all of them. */
function valuesOf(settings: readonly GitSetting[]): Map<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  for (const { name, subsection, value } of settings) {
    if (!SHOWN.test(name)) continue;
    const [section = '', key = ''] = name.split('.');
    const full = [section, ...(subsection === '' ? [] : [subsection]), key].join('.');
    const earlier = key.endsWith('url') ? (values.get(full) ?? []) : [];
    values.set(full, [...earlier, plainValue(value)]);
  }
  return values;
}

const quoted = (values: readonly string[]): string =>
  JSON.stringify(values.map(withoutCredentials).join(' and ').slice(0, MAX_VALUE)).replaceAll(/[^\x20-\x7e…]/gu, '?');

/** Describes the changed settings of a repository that are harmless for programs but not for what a person commits and pushes next. */
export function settingEffects(text: string, before: string): string[] {
  const [old, now] = [valuesOf(readSettings(before).settings), valuesOf(readSettings(text).settings)];
  const effects: string[] = [];
  for (const key of new Set([...now.keys(), ...old.keys()])) {
    const [was, is] = [old.get(key), now.get(key)];
    if (JSON.stringify(was) === JSON.stringify(is) || (was === undefined && USUAL_WHEN_NEW.test(key))) continue;
    const name = withoutCredentials(key)
      .replaceAll(/[^\x21-\x7e…]/gu, '?')
      .slice(0, MAX_VALUE);
    if (is === undefined) effects.push(`${name} is no longer ${quoted(was ?? [])}`);
    else effects.push(was === undefined ? `${name} is now ${quoted(is)}` : `${name} is now ${quoted(is)} instead of ${quoted(was)}`);
  }
  const more = effects.length - MAX_EFFECTS;
  return more > 0 ? [...effects.slice(0, MAX_EFFECTS), `${more} more`] : effects;
}
