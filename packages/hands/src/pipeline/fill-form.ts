import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { askApprover, type ShownQuestion } from '../approval/ask-approver.ts';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { fingerprint } from '../call/copy-input.ts';
import { displayText } from '../workspace/byte-name.ts';

const Schema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ default: z.unknown().optional() })).default({}),
  required: z.array(z.string()).default([]),
});
const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const MAX_MESSAGE = 2_000;
/** Milliseconds until a form without an answer is cancelled. Longer than for a question, because fields are typed. */
const FORM_TIMEOUT_MS = 15 * 60_000;

/** The default values of a form; undefined if a required field has none. */
function untyped({ schema }: PersonForm): Record<string, z.output<typeof Value>> | undefined {
  const read = Schema.safeParse(schema);
  if (!read.success) return undefined;
  const { properties, required } = read.data;
  const defaults = Object.entries(properties).flatMap(([name, field]) => {
    const value = Value.safeParse(field.default);
    return value.success ? [[name, value.data] as const] : [];
  });
  const given = Object.fromEntries(defaults);
  return required.every((name) => Object.hasOwn(given, name)) ? given : undefined;
}

/** Formats a form as safe lines: the server's text cannot imitate other parts of the question. */
function formLines({ server, message, schema }: PersonForm): string[] {
  const values = untyped({ server, tool: '', message, schema }) ?? {};
  const lines = message
    .slice(0, MAX_MESSAGE)
    .split(/\r?\n/u)
    .map((line) => displayText(line));
  return [...lines, ...Object.entries(values).map(([name, value]) => `answers ${displayText(name)}: ${displayText(JSON.stringify(value))}`)];
}

/** A form as a question: for an approver that has no forms. */
function questionOf(form: PersonForm): ApprovalRequest {
  const given = { message: form.message };
  return {
    callId: randomUUID(),
    sessionId: undefined,
    tool: form.tool,
    title: `Question of the MCP server ${form.server}`,
    arguments: given,
    fingerprint: fingerprint(form.tool, given),
    reason: `the MCP server ${form.server} asks; the answer is sent to it`,
    effects: formLines(form),
    proposals: [],
  };
}

/** Shows a form of an MCP server to the approver. Without one, the form is cancelled. Settles whatever the approver does. */
export async function fillForm(
  approver: Approver | undefined,
  form: PersonForm,
  signal: AbortSignal,
  shown: ShownQuestion,
  timeoutMs = FORM_TIMEOUT_MS,
): Promise<FilledForm> {
  if (approver === undefined) return { action: 'cancel' };
  if (approver.fill !== undefined) {
    const timer = new AbortController();
    const timeout = setTimeout(() => timer.abort(), timeoutMs);
    const stop = AbortSignal.any([signal, timer.signal]);
    const { promise: withdrawn, resolve: withdraw } = Promise.withResolvers<FilledForm>();
    stop.addEventListener('abort', () => withdraw({ action: 'cancel' }), { once: true });
    try {
      // The fields stay as they are: their values are sent back.
      const { message } = (await shown(questionOf(form))).arguments;
      stop.throwIfAborted();
      return await Promise.race([approver.fill(typeof message === 'string' ? { ...form, message } : form, stop), withdrawn]);
    } catch {
      // Like a question, a form that cannot be shown has no answer.
      return { action: 'cancel' };
    } finally {
      clearTimeout(timeout);
    }
  }
  // Only an approver with `fill` can open a page.
  const content = form.url === undefined ? untyped(form) : undefined;
  if (content === undefined) return { action: 'cancel' };
  const answer = await askApprover(approver, questionOf(form), [signal], { shown });
  if (answer.verdict === 'allow') return { action: 'accept', content };
  return { action: answer.verdict === 'later' || answer.unanswered === true ? 'cancel' : 'decline' };
}
