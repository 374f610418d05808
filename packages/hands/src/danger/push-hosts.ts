import { type GitSetting, plainValue } from './git-settings.ts';

/** Settings that decide where a push goes. */
const LEADS_PUSH = /^(?:remote\.(?:url|pushurl|pushdefault)|branch\.(?:remote|pushremote))$/u;
/** `https://user@host:1/path` and `user@host:path`. */
const HOST = /^(?:[a-z][-+.\da-z]*:\/\/(?:[^/@]*@)?(?<url>\[[^\]]*\]|[^/:]+)|(?:[^/@:]*@)?(?<scp>[^/:]+):)/iu;

/** Returns the host of an address; undefined for the name of a remote. A path is a place of its own. */
function hostOf(value: string): string | undefined {
  const found = HOST.exec(value)?.groups;
  return (found?.['url'] ?? found?.['scp'])?.toLowerCase() ?? (/^[./\\~].*[/\\]/u.test(value) ? value : undefined);
}

function hostsIn(settings: readonly GitSetting[]): Map<string, string> {
  const leading = settings.filter(({ name }) => LEADS_PUSH.test(name));
  return new Map(leading.flatMap(({ name, value }) => (hostOf(plainValue(value)) === undefined ? [] : [[hostOf(plainValue(value)) ?? '', name]])));
}

/** Returns the settings that lead pushes of a repository to a host where none of them went before. Its first host is no change. */
export function newPushHosts(before: readonly GitSetting[], after: readonly GitSetting[]): string[] {
  const known = hostsIn(before);
  if (known.size === 0) return [];
  return [...hostsIn(after)].flatMap(([host, name]) =>
    known.has(host) ? [] : [`${name} to ${host.replaceAll(/[^\x21-\x7e]/gu, '?').slice(0, 80)}`],
  );
}
