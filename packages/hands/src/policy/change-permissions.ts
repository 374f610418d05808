import { applyEdits, modify, parse, type ModificationOptions, type ParseError } from 'jsonc-parser';
import { SynapseError } from '@synapse/protocol';

/** Permissions to add to a configuration. */
export interface NewPermissions {
  readonly mode?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

const FORMAT: ModificationOptions = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (rule: unknown): unknown => (isRecord(rule) ? rule['rule'] : rule);

/**
 * Adds permissions to the text of a configuration. Keeps comments, formatting and existing rules; adds nothing twice.
 *
 * @param mode whether a mode that the file sets already is kept (`add`) or replaced
 * @throws SynapseError `invalid_arguments` if the file or its permissions are not a JSON object
 */
export function changePermissions(text: string, added: NewPermissions, file: string, mode: 'add' | 'replace' = 'replace'): string {
  let after = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const root: unknown = parse(after, errors, { allowTrailingComma: true });
  const permissions = isRecord(root) ? (root['permissions'] ?? {}) : undefined;
  if (errors.length > 0 || !isRecord(permissions)) {
    throw new SynapseError('invalid_arguments', `The configuration cannot be changed: ${file}`, {
      hint: 'Correct it first: synapse policy check shows what is wrong.',
    });
  }
  const set = (path: Array<string | number>, value: unknown, options: ModificationOptions = FORMAT): void => {
    after = applyEdits(after, modify(after, path, value, options));
  };
  if (added.mode !== undefined && (mode === 'replace' ? permissions['mode'] !== added.mode : permissions['mode'] === undefined))
    set(['permissions', 'mode'], added.mode);
  for (const verdict of ['allow', 'ask', 'deny'] as const) {
    const there = permissions[verdict];
    const known = Array.isArray(there) ? there.map(textOf) : [];
    const missing = (added[verdict] ?? []).filter((rule) => !known.includes(rule));
    if (missing.length === 0) continue;
    if (!Array.isArray(there)) set(['permissions', verdict], missing);
    else for (const rule of missing) set(['permissions', verdict, -1], rule, { ...FORMAT, isArrayInsertion: true });
  }
  return after === '{}\n' ? text : after.endsWith('\n') ? after : `${after}\n`;
}
