import * as z from 'zod';
import { SANDBOX_CHOICES } from '../sandbox/sandbox-choices.ts';
import { assertGiven } from './assert-given.ts';
import type { HandsOptions } from './hands-options.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isIterable = (value: unknown): boolean => isRecord(value) && Symbol.iterator in value;

/** Not a text, whose letters would be the items. What is in it is checked where it is used: an iterable may have its items only once. */
const items = z.custom<Iterable<unknown>>(isIterable, 'expected a list');
const number = z.custom<number>((value) => typeof value === 'number' && value >= 0, 'expected a number');
const path = z.string().min(1, 'expected a path, not an empty text');
const rules = z.array(
  z.union(
    [
      z.string(),
      z.strictObject({
        rule: z.string(),
        match: z.array(z.string()).optional(),
        notMatch: z.array(z.string()).optional(),
        reason: z.string().optional(),
        guarded: z.boolean().optional(),
        expiresAt: number.optional(),
      }),
    ],
    'expected a rule: a text such as "exec(npm test)", or { rule, match?, notMatch?, reason?, guarded?, expiresAt? }',
  ),
);
const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === 'function');

const FIELDS: { readonly [Name in keyof Required<HandsOptions>]: z.ZodType } = {
  workspace: path,
  allow: items.optional(),
  readable: items.optional(),
  tools: items.optional(),
  limits: z.strictObject({ outputBytes: number.optional(), outputLines: number.optional(), lineCharacters: number.optional() }).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  tracked: z.enum(['require', 'add']).optional(),
  stateFolder: path.optional(),
  configFolder: path.optional(),
  // The policy itself says which modes there are.
  policy: z.strictObject({ mode: z.string().optional(), allow: rules.optional(), ask: rules.optional(), deny: rules.optional() }).optional(),
  approver: z.custom((value) => hasMethods(value, 'ask'), 'expected an approver: { name, ask(request, signal) }').optional(),
  sandbox: z.enum(SANDBOX_CHOICES).optional(),
  undoCommands: z.boolean().optional(),
  editDiagnostics: z.boolean().optional(),
  network: z
    .union(
      [z.enum(['off', 'on', 'packages']), z.strictObject({ domains: z.array(z.string()), packages: z.boolean().optional() })],
      'expected "off", "on", "packages", or { domains: ["example.com"], packages?: true }',
    )
    .optional(),
  buffers: z.custom((value) => hasMethods(value, 'read'), 'expected the texts of an editor: { read, write? }').optional(),
  tracing: z.strictObject({ recordContent: z.boolean().optional() }).optional(),
  mcp: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          servers: z.record(z.string(), z.unknown()).optional(),
          files: z.boolean().optional(),
          connect: z.enum(['start', 'demand']).optional(),
          searchAbove: number.optional(),
          connectTimeoutMs: number.optional(),
          timeoutMs: number.optional(),
          maxTimeoutMs: number.optional(),
        }),
      ],
      'expected true, or { servers?, files?, connect?, searchAbove?, connectTimeoutMs?, timeoutMs?, maxTimeoutMs? }',
    )
    .optional(),
};
const SCHEMA = z.strictObject(FIELDS);
const TOOLS = z.array(
  z.custom((value) => isRecord(value) && typeof value['name'] === 'string' && hasMethods(value, 'execute'), 'expected a tool of defineTool()'),
);

/**
 * Checks the options of hands from a program that may have no types. A misspelled `policy` or `sandbox` would open more than was meant.
 *
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export const assertOptions = (given: unknown): void => assertGiven('createHands', 'options', SCHEMA, given);

/** The same for its tools, once they are a list. */
export const assertTools = (given: unknown): void => assertGiven('createHands', 'tools', TOOLS, given);
