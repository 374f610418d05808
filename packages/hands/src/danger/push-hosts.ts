import { readAddress, withoutCredentials } from './git-address.ts';
import { type GitSetting, plainValue, readSettings } from './git-settings.ts';

/** Returns the host of an address; undefined for the name of a remote. A path is a place of its own, as is an address without a certain host. */
function hostOf(value: string): string | undefined {
  return readAddress(value)?.host ?? (/^[./\\~].*[/\\]|:\/\//u.test(value) ? value : undefined);
}

/** A host, and the setting that leads there. */
interface Target {
  readonly host: string;
  readonly setting: string;
}

/** Values by setting and subsection. */
class Values {
  readonly #values = new Map<string, string[]>();
  readonly subsections = { remote: new Set<string>(), branch: new Set<string>(), submodule: new Set<string>() };

  constructor(settings: readonly GitSetting[]) {
    for (const { name, subsection, value } of settings) {
      const key = `${name}\0${subsection}`;
      const known = this.#values.get(key);
      if (known === undefined) this.#values.set(key, [plainValue(value)]);
      else known.push(plainValue(value));
      const section = name.slice(0, name.indexOf('.'));
      if (section === 'remote' || section === 'branch' || section === 'submodule') this.subsections[section].add(subsection);
    }
  }

  all = (name: string, subsection = ''): readonly string[] => this.#values.get(`${name}\0${subsection}`) ?? [];
  last = (name: string, subsection = ''): string | undefined => this.all(name, subsection).at(-1);
}

/** Where each remote, branch and submodule leads a push, or a fetch of what is then run. */
function targetsOf(settings: readonly GitSetting[]): Map<string, readonly Target[]> {
  const values = new Values(settings);
  const hostsOf = (texts: readonly string[], setting: string): Target[] =>
    texts.flatMap((text) => {
      const host = hostOf(text);
      return host === undefined ? [] : [{ host, setting }];
    });
  const ofRemote = (name: string): Target[] => {
    const push = hostsOf(values.all('remote.pushurl', name), 'remote.pushurl');
    return push.length > 0 ? push : hostsOf(values.all('remote.url', name), 'remote.url');
  };
  const through = (name: string | undefined, setting: string): Target[] => {
    if (name === undefined) return [];
    const direct = hostsOf([name], setting);
    return direct.length > 0 ? direct : ofRemote(name).map(({ host }) => ({ host, setting }));
  };
  const usual = values.last('remote.pushdefault');
  const targets = new Map<string, readonly Target[]>([['', usual === undefined ? ofRemote('origin') : through(usual, 'remote.pushdefault')]]);
  for (const remote of values.subsections.remote) {
    targets.set(`remote ${remote}`, ofRemote(remote));
    targets.set(`fetch ${remote}`, hostsOf(values.all('remote.url', remote), 'remote.url'));
  }
  for (const branch of values.subsections.branch) {
    const own = values.last('branch.pushremote', branch);
    const fetched = values.last('branch.remote', branch);
    const name = own ?? usual ?? fetched;
    const setting = own !== undefined ? 'branch.pushremote' : usual !== undefined ? 'remote.pushdefault' : 'branch.remote';
    targets.set(`branch ${branch}`, through(name, setting));
  }
  for (const submodule of values.subsections.submodule)
    targets.set(`submodule ${submodule}`, hostsOf(values.all('submodule.url', submodule), 'submodule.url'));
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
  const known = new Set([...old.values()].flatMap((targets) => targets.map(({ host }) => host)));
  if (known.size === 0) return [];
  const found = new Set<string>();
  for (const [key, targets] of targetsOf(after)) {
    const were = old.get(key)?.map(({ host }) => host) ?? [];
    // A submodule may be anywhere when it is added.
    const isNew = were.length === 0;
    if (isNew && key.startsWith('submodule ')) continue;
    for (const { host, setting } of targets) {
      if (isNew ? known.has(host) : were.includes(host)) continue;
      found.add(`${setting} to ${shown(host)}${isNew ? '' : ` instead of ${shown(were.join(', '))}`}`);
    }
  }
  return [...found];
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
