import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { defaultConfigFolder, readConfiguration } from '../../policy/configuration-files.ts';
import { redactor } from '../../store/audit/redact.ts';
import { readServers } from '../config/read-servers.ts';
import { launchLines, type ConfigProblem, type ServerConfig } from '../config/server-config.ts';

/** What trusting a project lets in, as its files are at one moment. A person sees this, and this is what is pinned. */
export interface ProjectReview {
  /** What its MCP servers do when they start, a line each under its name. No line holds a secret. */
  readonly starts: ReadonlyArray<{ readonly name: string; readonly origin: string; readonly lines: readonly string[] }>;
  /** Its own configuration, whose rules may then permit something. */
  readonly configuration: string | undefined;
  /** What is wrong in its files. */
  readonly problems: readonly ConfigProblem[];
  /** Hash of its configuration. */
  readonly configurationHash: string;
  readonly servers: readonly ServerConfig[];
}

/** The hash that the configuration of a project is known by. */
export function configurationHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Reads what the files of a project would start, and what else counts once its folder is trusted.
 * @param root the project's real path
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
