import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { PolicyFile } from '../policy/load-policy.ts';
import { policyError } from '../policy/policy-error.ts';

/** The built-in tools that are offered only where a person turns them on. */
export const EXTRA_TOOLS = ['branch_conflicts', 'line_writers'] as const;
export type ExtraTool = (typeof EXTRA_TOOLS)[number];

function readOne({ label, text }: PolicyFile, problems: string[]): ReadonlyMap<string, boolean> {
  // The policy reads the file first and reports invalid JSON.
  const root = parseTree(text.replace(/^\ufeff/u, ' '), [], { allowTrailingComma: true });
  const tools = root === undefined ? undefined : findNodeAtLocation(root, ['tools']);
  if (tools === undefined) return new Map();
  const said = (tools.type === 'object' ? (tools.children ?? []) : []).map(
    ({ children: [name, value] = [] }) => [String(name?.value), value] as const,
  );
  if (tools.type !== 'object' || said.some(([name, value]) => !EXTRA_TOOLS.some((tool) => tool === name) || value?.type !== 'boolean')) {
    problems.push(`${label}: "tools" must be an object such as { "line_writers": true }.`);
    return new Map();
  }
  return new Map(said.map(([name, value]) => [name, value?.value === true]));
}

/**
 * Reads `tools` from the configuration files: which further tools are offered. The file with the highest precedence wins. A project file is
 * ignored until a person trusts it, because each tool takes room in what models read.
 *
 * @throws SynapseError `invalid_arguments` that lists what is wrong
 */
export function readToolSettings(files: readonly PolicyFile[]): ReadonlySet<ExtraTool> {
  const problems: string[] = [];
  const said = files.filter((file) => file.layer !== 'project' || file.trusted === true).map((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  return new Set(EXTRA_TOOLS.filter((tool) => said.find((one) => one.has(tool))?.get(tool) === true));
}
