import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isWithin } from '../../workspace/workspace-path.ts';
import type { NetworkPolicy } from '../sandbox-policy.ts';
import { parseDomainRule } from './host-rules.ts';
import { REGISTRIES, REGISTRY_SETTINGS } from './package-registries.ts';

/** The open hosts: none, all, or names. */
export type OpenNetwork =
  | 'off'
  | 'on'
  | {
      readonly domains: readonly string[];
      /** Those that a person named, on the command line or in settings of their own. Default: none. */
      readonly named?: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
    };

/** Where to find the settings of a project and its user. */
export interface PackageFacts {
  readonly root: string;
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
}

const MAX_FILE_BYTES = 256 * 1024;
/** Maximum number of workspace folders to search for manifests. */
const MAX_FOLDERS = 200;

/** The hosts that a network setting opens. */
export function openedHosts(policy: NetworkPolicy, facts: PackageFacts): OpenNetwork {
  if (policy === 'off' || policy === 'on') return policy;
  const domains = policy === 'packages' ? [] : policy.domains;
  if (policy !== 'packages' && policy.packages !== true) return { domains, named: domains };
  const own = ownRegistries(facts);
  return {
    domains: [...new Set([...domains, ...registryHosts(facts.root), ...own.hosts])],
    named: [...domains, ...own.hosts],
    environment: own.environment,
  };
}

/** The registries of the package managers that a project uses, according to its manifests. */
function registryHosts(root: string): string[] {
  const folders = [root, ...entries(root, 'folder').map((name) => join(root, name))];
  const nested = folders.slice(1).flatMap((folder) => entries(folder, 'folder').map((name) => join(folder, name)));
  const names = new Set([...folders, ...nested].slice(0, MAX_FOLDERS).flatMap((folder) => entries(folder, 'file')));
  const uses = (manifest: string): boolean =>
    manifest.startsWith('*') ? [...names].some((name) => name.endsWith(manifest.slice(1))) : names.has(manifest);
  return REGISTRIES.filter(({ manifests }) => manifests.some(uses)).flatMap(({ hosts }) => hosts);
}

function entries(folder: string, kind: 'file' | 'folder'): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => (kind === 'file' ? entry.isFile() : entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')))
      .map(({ name }) => name);
  } catch {
    // Closed to this user, or deleted.
    return [];
  }
}

/** The registries of a user: hosts, and the settings for commands. Contains no credentials. */
function ownRegistries({ root, variables = process.env }: PackageFacts): { hosts: string[]; environment: Record<string, string> } {
  const home = variables['HOME'] ?? homedir();
  // npm passes settings of a project to its scripts.
  const isScript = variables['npm_lifecycle_event'] !== undefined;
  const hosts: string[] = [];
  const environment: Record<string, string> = {};
  for (const { files, pattern, variables: names, tell } of REGISTRY_SETTINGS) {
    // A file in the workspace is not only the user's.
    const paths = files.map((file) => (isAbsolute(file) ? file : join(home, file))).filter((path) => !isWithin(path, root));
    const texts = paths.map(readSmall);
    const inFiles = texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match.groups?.['url'] ?? ''));
    const inVariables = names.filter((name) => !isScript || !/^npm_/iu.test(name)).flatMap((name) => (variables[name] ?? '').split(/[\s,|]+/u));
    for (const url of [...inVariables, ...inFiles].flatMap((address) => withoutCredentials(address) ?? [])) {
      hosts.push(url.host.toLowerCase());
      if (tell !== undefined) environment[tell] ??= url.href;
    }
  }
  return { hosts, environment };
}

/** Parses a web URL with a host by name. Removes the user and password. An address is only opened if `--network` names it. */
function withoutCredentials(address: string): URL | undefined {
  const url = URL.parse(address.replaceAll(/^["']|["']$/gu, ''));
  if (url === null || !/^https?:$/u.test(url.protocol) || parseDomainRule(url.hostname) === undefined) return undefined;
  url.username = '';
  url.password = '';
  url.search = '';
  return url;
}

function readSmall(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    // Missing: the user has no such setting.
    return '';
  }
}
