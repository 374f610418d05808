import { SANDBOX_CHOICES } from '../sandbox/sandbox-choices.ts';
import { amount, anything, assertGiven, type Check, either, fields, flag, listOf, maybeFields, oneOf } from './assert-given.ts';
import { optional, record, satisfying, text, withMethods } from './assert-given.ts';
import type { HandsOptions } from './hands-options.ts';

/** Not a text, whose letters would be the items. What is in it is checked where it is used: an iterable may have its items only once. */
const items = optional(satisfying('a list', (value) => typeof value === 'object' && value !== null && Symbol.iterator in value));
const path = satisfying('a path', (value) => typeof value === 'string' && value !== '');
const texts = listOf(text);
const rules = optional(
  listOf(
    either(
      'a rule: a text such as "exec(npm test)", or { rule, match?, notMatch?, reason?, guarded?, expiresAt? }',
      text,
      fields({
        rule: text,
        match: optional(texts),
        notMatch: optional(texts),
        reason: optional(text),
        guarded: optional(flag),
        expiresAt: optional(amount),
      }),
    ),
  ),
);

const OPTIONS: { readonly [Name in keyof Required<HandsOptions>]: Check } = {
  workspace: path,
  allow: items,
  readable: items,
  tools: items,
  limits: maybeFields({ outputBytes: optional(amount), outputLines: optional(amount), lineCharacters: optional(amount) }),
  environment: optional(record(text)),
  tracked: optional(oneOf(['require', 'add'])),
  stateFolder: optional(path),
  configFolder: optional(path),
  // The policy itself says which modes there are.
  policy: maybeFields({ mode: optional(text), allow: rules, ask: rules, deny: rules }),
  approver: optional(withMethods('an approver: { name, ask(request, signal) }', 'ask')),
  sandbox: optional(oneOf(SANDBOX_CHOICES)),
  undoCommands: optional(flag),
  editDiagnostics: optional(flag),
  network: optional(
    either(
      '"off", "on", "packages", or { domains: ["example.com"], packages?: true }',
      oneOf(['off', 'on', 'packages']),
      fields({ domains: texts, packages: optional(flag) }),
    ),
  ),
  buffers: optional(withMethods('the texts of an editor: { read, write? }', 'read')),
  tracing: maybeFields({ recordContent: optional(flag) }),
  mcp: optional(
    either(
      'true, or { servers?, files?, connect?, searchAbove?, connectTimeoutMs?, timeoutMs?, maxTimeoutMs? }',
      flag,
      fields({
        servers: optional(record(anything)),
        files: optional(flag),
        connect: optional(oneOf(['start', 'demand'])),
        searchAbove: optional(amount),
        connectTimeoutMs: optional(amount),
        timeoutMs: optional(amount),
        maxTimeoutMs: optional(amount),
      }),
    ),
  ),
};
const CHECK = fields(OPTIONS);
const TOOLS = listOf(
  satisfying(
    'a tool of defineTool()',
    (value) => typeof value === 'object' && value !== null && 'name' in value && 'execute' in value && typeof value.name === 'string',
  ),
);

/**
 * Checks the options of hands from a program that may have no types. A misspelled `policy` or `sandbox` would open more than was meant.
 *
 * @throws SynapseError `invalid_arguments` that says what is wrong where
 */
export const assertOptions = (given: unknown): void => assertGiven('createHands', 'options', CHECK, given);

/** The same for its tools, once they are a list. */
export const assertTools = (given: unknown): void => assertGiven('createHands', 'tools', TOOLS, given);
