import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { defaultConfigFolder, readConfiguration } from '../../policy/configuration-files.ts';
import { redactor } from '../../audit/redact.ts';
import { readServers } from '../config/read-servers.ts';
import { launchLines, type ConfigProblem, type ServerConfig } from '../config/server-config.ts';

/** What trusting a project enables, from its files at one moment. The user sees this, and this is pinned. */
export interface ProjectReview {
  /** What its MCP servers do on start, one line each. No line contains a secret. */
  readonly starts: ReadonlyArray<{ readonly name: string; readonly origin: string; readonly lines: readonly string[] }>;
  /** Its configuration, whose rules then apply. */
  readonly configuration: string | undefined;
  /** Problems in its files. */
  readonly problems: readonly ConfigProblem[];
  /** Hash of its configuration. */
  readonly configurationHash: string;
  readonly servers: readonly ServerConfig[];
}

/** Returns the hash that identifies the configuration of a project. */
export function configurationHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Reads what the files of a project would start, and what else applies once its folder is trusted.
 * @param root real path of the project
 */
export function reviewProject(root: string): ProjectReview {
  const folders = { user: defaultConfigFolder(), project: root };
  const all = readServers(folders, [], true, { environment: process.env, workspace: root, home: homedir() });
  const servers = all.servers.filter(({ layer }) => layer === 'project');
  const own = readConfiguration(folders, () => true).find(({ layer }) => layer === 'project');
  return {
    starts: servers
      .filter(({ disabled }) => !disabled)
      .map((server) => ({ name: server.name, origin: server.origin, lines: launchLines(server, redactor(server.secrets)) })),
    configuration: own?.label,
    problems: all.problems.filter((problem) => problem.startsWith(root)),
    configurationHash: configurationHash(own?.text ?? ''),
    servers,
  };
}
