import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { fieldPath } from '../call/copy-input.ts';
import { nearest } from '../text/nearest.ts';

type Issue = z.core.$ZodIssue;

/** The fields that objects may have somewhere in a schema; none if there is no object. */
function fieldsAt(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional) return fieldsAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsAt(option, path));
  const [key, ...rest] = path;
  if (schema instanceof z.ZodArray && key !== undefined) return fieldsAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  const shape: Readonly<Record<PropertyKey, unknown>> = schema.shape;
  return key === undefined ? Object.keys(shape) : fieldsAt(shape[key], rest);
}

const inside = (path: readonly PropertyKey[], name: string): string => (path.length === 0 ? name : fieldPath([name, ...path]));

function told(issue: Issue, name: string, schema: z.ZodType): string {
  if (issue.code !== 'unrecognized_keys') return `${inside(issue.path, name)}: ${issue.message.replace(/^Invalid (?:input|option): /u, '')}`;
  const fields = fieldsAt(schema, issue.path);
  return issue.keys
    .map((key) => {
      // What belongs one level deeper, such as `mode` in `policy`, is not close to any other name.
      const deeper = fields.filter((field) => fieldsAt(schema, [...issue.path, field]).includes(key)).map((field) => `${field}.${key}`);
      const near = deeper.length > 0 ? deeper : nearest(key, fields);
      const help = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it can have ${fields.join(', ')}`;
      return `${inside(issue.path, name)} has no ${JSON.stringify(key.slice(0, MAX_SHOWN))} (${help})`;
    })
    .join('; ');
}

const MAX_SHOWN = 64;
const MAX_ISSUES = 5;

/**
 * Checks a value from a program that may have no types. An option that is misspelled would not count, and nothing would say so.
 *
 * @param name of the value, in errors
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export function assertGiven(where: string, name: string, schema: z.ZodType, given: unknown): void {
  const { error } = schema.safeParse(given);
  if (error === undefined) return;
  const problems = error.issues.slice(0, MAX_ISSUES).map((issue) => told(issue, name, schema));
  throw new SynapseError('invalid_arguments', `${where}: ${problems.join('; ')}.`);
}
