import { SynapseError } from '@synapse/protocol';
import type * as z from 'zod';
import { nearest } from '../text/nearest.ts';
import { describeInput } from '../describe-input.ts';
import type { AnyTool } from '../tool.ts';
import { acceptAliases } from './accept-aliases.ts';
import type { ResolvedCall, ValidCall } from './call.ts';
import { copyInput, fieldPath, parseJsonText } from './copy-input.ts';

type Issue = z.core.$ZodIssue;

const MAX_ISSUES = 5;
/** What zod may call a field that is not there: by the kind of schema that looked for it. */
const NOT_THERE: ReadonlySet<Issue['code']> = new Set(['invalid_type', 'invalid_union', 'invalid_value']);

/** Whether a value is there where the schema of the issue looked for it. */
function valueAt(input: unknown, path: ReadonlyArray<PropertyKey>): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    input,
  );
}

function explain(issue: Issue, input: unknown, fields: readonly string[]): string {
  const field = fieldPath(issue.path) || 'the arguments';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .map((key) => {
        const near = issue.path.length === 0 ? nearest(key, fields) : [];
        return `unknown field ${fieldPath([...issue.path, key])}${near.length > 0 ? ` (did you mean ${near.join(' or ')}?)` : ''}`;
      })
      .join('; ');
  }
  if (NOT_THERE.has(issue.code) && valueAt(input, issue.path) === undefined && issue.path.length > 0) return `${field} is missing`;
  if (issue.code === 'invalid_union' && issue.message === 'Invalid input') return `${field}: has none of the forms it may have`;
  const text = issue.message.replace(/^Invalid input: /u, '').replace(/^(Too (?:big|small)): /u, '');
  return `${field}: ${text}`;
}

const NUMBER = /^-?\d{1,15}(?:\.\d+)?$/u;

/** What a model wrote instead of a value of a kind: a list as its JSON text, a number in quotes. Undefined where it is none of these. */
const MEANT: Readonly<Record<string, (text: string) => unknown>> = {
  array: parseJsonText,
  object: parseJsonText,
  number: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  int: (text) => (NUMBER.test(text) ? Number(text) : undefined),
  boolean: (text) => ({ true: true, false: false })[text],
};

/** Makes of each field that the schema refused what was meant, once: null is no value, and a text may stand for another one. */
function repair(input: Record<string, unknown>, issues: readonly Issue[]): Record<string, unknown> | undefined {
  const repaired = { ...input };
  let changed = false;
  for (const issue of issues) {
    const [key, ...deeper] = issue.path;
    if (typeof key !== 'string' || deeper.length > 0) continue;
    const value = input[key];
    const meant = issue.code === 'invalid_type' && typeof value === 'string' ? MEANT[issue.expected]?.(value) : undefined;
    if (value !== null && meant === undefined) continue;
    if (meant === undefined) delete repaired[key];
    else repaired[key] = meant;
    changed = true;
  }
  return changed ? repaired : undefined;
}

/**
 * Checks and parses an input. What a program sent is copied first, so that it cannot change meanwhile.
 * @throws SynapseError `invalid_arguments` naming the fields
 */
export function parseInput(tool: Pick<AnyTool, 'name' | 'input' | 'aliases'>, given: unknown): Record<string, unknown> {
  const input = typeof given === 'string' ? parseJsonText(given) : copyInput(given ?? {});
  return parse(tool, ownNames(tool, input));
}

function ownNames({ aliases }: Pick<AnyTool, 'aliases'>, input: unknown): unknown {
  return aliases === undefined ? input : acceptAliases(input, aliases);
}

function parse(tool: Pick<AnyTool, 'name' | 'input' | 'aliases'>, input: unknown): Record<string, unknown> {
  const first = tool.input.safeParse(input);
  if (first.success) return first.data;
  const repaired = typeof input === 'object' && input !== null ? repair(input as Record<string, unknown>, first.error.issues) : undefined;
  const last = repaired === undefined ? first : tool.input.safeParse(ownNames(tool, repaired));
  if (last.success) return last.data;
  const { issues } = last.error;
  const fields = Object.keys(tool.input.shape);
  const told = issues.slice(0, MAX_ISSUES).map((issue) => explain(issue, repaired ?? input, fields));
  throw new SynapseError('invalid_arguments', `${tool.name}: ${told.join('; ')}.`, {
    hint: `The valid form is ${describeInput(tool)}`,
    details: { fields: issues.slice(0, MAX_ISSUES).map((issue) => fieldPath(issue.path)) },
  });
}

/** Checks and parses the input before any file or process is touched. What follows sees the parsed value only. */
export function validate(call: ResolvedCall): ValidCall {
  return { ...call, arguments: parseInput(call.tool, call.input) };
}
