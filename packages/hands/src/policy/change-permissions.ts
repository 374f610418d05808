import { applyEdits, modify, parse, type ModificationOptions, type ParseError } from 'jsonc-parser';
import { SynapseError } from '@synapse/protocol';

/** Rules by their verdict. */
interface RuleLists {
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Permissions to add to a configuration, and rules to remove from it. */
export interface NewPermissions extends RuleLists {
  readonly mode?: string | undefined;
  readonly remove?: RuleLists | undefined;
}

const FORMAT: ModificationOptions = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (rule: unknown): unknown => (isRecord(rule) ? rule['rule'] : rule);

const VERDICTS = ['allow', 'ask', 'deny'] as const;

/** Sets a value in a configuration; undefined removes it. */
type SetValue = (path: ReadonlyArray<string | number>, value: unknown, options?: ModificationOptions) => void;

type RuleVerdict = (typeof VERDICTS)[number];

/** The permissions in the text of a configuration; undefined if it is not a JSON object that can have some. */
function permissionsIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const errors: ParseError[] = [];
  const root: unknown = parse(text, errors, { allowTrailingComma: true });
  const permissions = isRecord(root) ? (root['permissions'] ?? {}) : undefined;
  return errors.length === 0 && isRecord(permissions) ? permissions : undefined;
}

/** Lists the rules in the text of a configuration. What is not a rule is left out. */
export function configuredRules(text: string): Array<{ readonly verdict: RuleVerdict; readonly rule: string }> {
  const permissions = text.trim() === '' ? {} : (permissionsIn(text) ?? {});
  return VERDICTS.flatMap((verdict) => {
    const there = permissions[verdict];
    const rules = Array.isArray(there) ? there.map(textOf) : [];
    return rules.filter((rule) => typeof rule === 'string').map((rule) => ({ verdict, rule }));
  });
}

/** Removes rules from the list of a verdict. @returns what stays */
function removeRules(verdict: RuleVerdict, rules: readonly unknown[], removed: ReadonlySet<unknown>, set: SetValue): readonly unknown[] {
  // From the end, so that the positions before stay.
  for (let index = rules.length - 1; index >= 0; index -= 1) if (removed.has(rules[index])) set(['permissions', verdict, index], undefined);
  return rules.filter((rule) => !removed.has(rule));
}

/** Adds rules to the list of a verdict, which may not be there yet. */
function addRules(verdict: RuleVerdict, there: unknown, added: readonly string[], set: SetValue): void {
  if (added.length === 0) return;
  if (!Array.isArray(there)) set(['permissions', verdict], added);
  else for (const rule of added) set(['permissions', verdict, -1], rule, { ...FORMAT, isArrayInsertion: true });
}

/**
 * Adds permissions to the text of a configuration, and removes rules. Keeps comments, formatting and other rules; adds nothing twice.
 *
 * @param mode whether a mode that the file sets already is kept (`add`) or replaced
 * @throws SynapseError `invalid_arguments` if the file or its permissions are not a JSON object
 */
export function changePermissions(text: string, added: NewPermissions, file: string, mode: 'add' | 'replace' = 'replace'): string {
  let after = text.trim() === '' ? '{}\n' : text;
  const permissions = permissionsIn(after);
  if (permissions === undefined) {
    throw new SynapseError('invalid_arguments', `The configuration cannot be changed: ${file}`, {
      hint: 'Correct it first: synapse policy check shows what is wrong.',
    });
  }
  const set: SetValue = (path, value, options = FORMAT) => {
    after = applyEdits(after, modify(after, [...path], value, options));
  };
  const setsMode = mode === 'replace' ? permissions['mode'] !== added.mode : permissions['mode'] === undefined;
  if (added.mode !== undefined && setsMode) set(['permissions', 'mode'], added.mode);
  for (const verdict of VERDICTS) {
    const there = permissions[verdict];
    const kept = removeRules(verdict, Array.isArray(there) ? there.map(textOf) : [], new Set(added.remove?.[verdict]), set);
    const missing = (added[verdict] ?? []).filter((rule) => !kept.includes(rule));
    addRules(verdict, there, missing, set);
  }
  return after === '{}\n' ? text : after.endsWith('\n') ? after : `${after}\n`;
}
