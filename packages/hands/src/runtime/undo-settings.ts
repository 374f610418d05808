import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { PolicyFile } from '../policy/load-policy.ts';
import { policyError } from '../policy/policy-error.ts';

/** The undo settings of the configuration. */
export interface UndoSettings {
  /** Whether changes by commands are kept, where supported. */
  readonly commands: boolean | undefined;
}

const KNOWN = new Set(['commands']);

function readOne({ label, text }: PolicyFile, problems: string[]): boolean | undefined {
  // The policy reads the file first and reports invalid JSON.
  const root = parseTree(text.replace(/^\ufeff/u, ' '), [], { allowTrailingComma: true });
  const undo = root === undefined ? undefined : findNodeAtLocation(root, ['undo']);
  if (undo === undefined) return undefined;
  const names = (undo.type === 'object' ? (undo.children ?? []) : []).map((property) => String(property.children?.[0]?.value));
  const unknown = names.find((name) => !KNOWN.has(name));
  const commands = findNodeAtLocation(undo, ['commands']);
  if (undo.type !== 'object' || unknown !== undefined || (commands !== undefined && commands.type !== 'boolean')) {
    problems.push(`${label}: "undo" must be an object such as { "commands": true }.`);
    return undefined;
  }
  return commands === undefined ? undefined : commands.value === true;
}

/**
 * Reads `undo` from the configuration files. The file with the highest precedence wins. A project file is ignored
 * until a person trusts it, because it changes how their commands run.
 *
 * @throws SynapseError `invalid_arguments` that lists what is wrong
 */
export function readUndoSettings(files: readonly PolicyFile[]): UndoSettings {
  const problems: string[] = [];
  const said = files.filter((file) => file.layer !== 'project' || file.trusted === true).map((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  return { commands: said.find((value) => value !== undefined) };
}
