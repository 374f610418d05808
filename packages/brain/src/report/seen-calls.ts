import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { queryAudit } from '@synapse/hands/internal';
import { relative } from 'node:path';
import { filesLookedAt } from './call-meaning.ts';

/** The calls that were made, according to the audit log or a session. */
export interface SeenCalls {
  /** Paths that calls read, relative to the workspace. */
  readonly filesRead: ReadonlySet<string>;
  /** Number of calls by tool: the names that the model used, and the equivalent built-in ones. */
  readonly toolCalls: ReadonlyMap<string, number>;
}

/** Fields that hold a path, in tools and dialects. */
const PATH_FIELDS = ['path', 'file_path', 'filePath', 'absolute_path', 'file'] as const;

/** The paths that the input of a call names. */
export function pathsOf(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  const fields = new Map(Object.entries(input));
  const named = [...PATH_FIELDS.map((name) => fields.get(name)), fields.get('paths')].flat();
  return [...named.filter((value) => typeof value === 'string'), ...filesLookedAt(input)];
}

/** Counts the calls by name. */
function counted(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns the calls in the messages of a session, including those of earlier runs. */
export function sessionCalls(messages: readonly LanguageModelV4Message[]): SeenCalls {
  const failed = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== 'tool') continue;
    for (const part of content) if (part.type === 'tool-result' && part.output.type === 'error-text') failed.add(part.toolCallId);
  }
  const calls = messages.flatMap(({ role, content }) => (role === 'assistant' ? content.filter((part) => part.type === 'tool-call') : []));
  return {
    filesRead: new Set(calls.filter(({ toolCallId }) => !failed.has(toolCallId)).flatMap(({ input }) => pathsOf(input))),
    toolCalls: counted(calls.map(({ toolName }) => toolName)),
  };
}

/** Returns the calls of a session from the audit log, with the resolved paths. */
export function auditedCalls(stateFolder: string, root: string, session: string): SeenCalls {
  const filesRead = new Set<string>();
  const tools: string[] = [];
  for (const { tool, start, end } of queryAudit(stateFolder, root, { session })) {
    // A tool made the others, not the model.
    if (start.parent === undefined) tools.push(tool);
    if (end?.ok !== true) continue;
    for (const path of end.resolved ?? []) filesRead.add(path);
    for (const { action, resource } of end.resources ?? []) if (action === 'read') filesRead.add(resource);
    for (const path of pathsOf(start.arguments)) filesRead.add(path);
  }
  return { filesRead, toolCalls: counted(tools) };
}

/** Merges two records of calls. */
export function seenInEither(one: SeenCalls, other: SeenCalls): SeenCalls {
  const toolCalls = new Map(one.toolCalls);
  for (const [name, calls] of other.toolCalls) toolCalls.set(name, Math.max(calls, toolCalls.get(name) ?? 0));
  return { filesRead: new Set([...one.filesRead, ...other.filesRead]), toolCalls };
}

/** Normalizes a path in a report: removes line numbers, backticks, `./`, and the folder of the workspace. */
export function plainPath(path: string, root?: string): string {
  const bare = path.replaceAll('`', '').replace(/:\d+(?:-\d+)?$/u, '');
  const below = root !== undefined && bare.startsWith('/') ? relative(root, bare) : bare;
  return below.replace(/^(?:\.\/)+/u, '').replace(/(?<=.)\/$/u, '');
}
