import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { PolicyFile } from '../policy/load-policy.ts';
import { policyError } from '../policy/policy-error.ts';

/** The settings of receipts in the configuration. */
export interface ReceiptSettings {
  /** Whether a commit that a command makes gets the receipts that are valid for it, as a git note. */
  readonly notes: boolean;
}

const KNOWN = new Set(['notes']);

function readOne({ label, text }: PolicyFile, problems: string[]): boolean | undefined {
  // The policy reads the file first and reports invalid JSON.
  const root = parseTree(text.replace(/^\ufeff/u, ' '), [], { allowTrailingComma: true });
  const receipts = root === undefined ? undefined : findNodeAtLocation(root, ['receipts']);
  if (receipts === undefined) return undefined;
  const names = (receipts.type === 'object' ? (receipts.children ?? []) : []).map((property) => String(property.children?.[0]?.value));
  const notes = findNodeAtLocation(receipts, ['notes']);
  if (receipts.type !== 'object' || names.some((name) => !KNOWN.has(name)) || (notes !== undefined && notes.type !== 'boolean')) {
    problems.push(`${label}: "receipts" must be an object such as { "notes": true }.`);
    return undefined;
  }
  return notes === undefined ? undefined : notes.value === true;
}

/**
 * Reads `receipts` from the configuration files. The file with the highest precedence wins. A project file is ignored until a person trusts
 * it, because a note is a further change of the repository.
 *
 * @throws SynapseError `invalid_arguments` that lists what is wrong
 */
export function readReceiptSettings(files: readonly PolicyFile[]): ReceiptSettings {
  const problems: string[] = [];
  const said = files.filter((file) => file.layer !== 'project' || file.trusted === true).map((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  return { notes: said.find((value) => value !== undefined) === true };
}
