/** Where an address of a repository leads. */
export interface GitAddress {
  /** In lower case, without a port. */
  readonly host: string;
  /** With the colon; empty for the usual one. */
  readonly port: string;
  readonly path: string;
}

/**
 * `https://user@host:1/path` and `user@host:path`. The host starts after the last `@`, as for curl and ssh. For curl it also ends at `?` and
 * `#`, for git and ssh it does not: an address with these in it has no certain host.
 */
const ADDRESS =
  /^(?:[a-z][-+.\da-z]*:\/\/(?:[^/?#\\]*@)?(?<url>\[[^\]/@]*\]|[^/?#\\:@]+)(?<port>:\d*)?(?:\/(?<path>.*))?|(?:[^/@:]*@)*(?<scp>[^/@:]+):(?!\/\/|:)(?<rest>.*))$/isu;

/** Returns where an address leads; undefined for the name of a remote, a path, and what programs could interpret in different ways. */
export function readAddress(address: string): GitAddress | undefined {
  // Its host is not used, whatever it says.
  if (/^file:\/\//iu.test(address)) return undefined;
  const found = ADDRESS.exec(address)?.groups;
  const host = found?.['url'] ?? found?.['scp'];
  if (host === undefined) return undefined;
  return { host: host.toLowerCase(), port: found?.['port'] ?? '', path: found?.['path'] ?? found?.['rest'] ?? '' };
}

/** The user name of nearly all addresses for ssh. It is no secret. */
const USUAL_USER = 'git@';
/** What is before the host: an access token can be the user name, so all of it is removed. */
const USER_INFO = /(?<=:\/\/)[^/]*@|^(?=[^/]*:)[^/]*@/gu;

/** Returns an address, or another text with one, without names and passwords of users. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(USER_INFO, (found) => (found === USUAL_USER ? found : '…@'));
}
