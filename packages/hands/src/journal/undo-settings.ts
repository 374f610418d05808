import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { PolicyFile } from '../policy/load-policy.ts';
import { policyError } from '../policy/policy-error.ts';

/** What configuration says about undo. */
export interface UndoSettings {
  /** Whether what commands change is kept, where that can be. */
  readonly commands: boolean | undefined;
}

const KNOWN = new Set(['commands']);

function readOne({ label, text }: PolicyFile, problems: string[]): boolean | undefined {
  // That it is JSON at all is the business of the policy, which reads it first.
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
 * Reads the `undo` of configuration files, of which the mightiest that says something counts. A project says nothing
 * until a person trusts it: its commands would run otherwise than they expect.
 *
 * @throws SynapseError `invalid_arguments` that lists what is wrong
 */
export function readUndoSettings(files: readonly PolicyFile[]): UndoSettings {
  const problems: string[] = [];
  const said = files.filter((file) => file.layer !== 'project' || file.trusted === true).map((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  return { commands: said.find((value) => value !== undefined) };
}
