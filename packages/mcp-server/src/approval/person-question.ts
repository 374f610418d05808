import { isSpecType, type ElicitRequestFormParams, type ElicitRequestURLParams } from '@modelcontextprotocol/server';
import { formFields, formSchema, secretsWarning, visibleLines } from '@synapse/hands/internal';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';

/** The kinds of questions a client supports. */
export interface QuestionModes {
  readonly form: boolean;
  readonly url: boolean;
}

/**
 * Converts a question of an upstream server for this client: first a heading of ours that names the server, then each line of the
 * question with a prefix, so that none can imitate ours. Undefined if the client cannot ask it.
 */
export function personQuestion(form: PersonForm, modes: QuestionModes): ElicitRequestFormParams | ElicitRequestURLParams | undefined {
  const { server, tool, url } = form;
  const said = visibleLines(form.message).map((line) => `> ${line}`);
  if (url !== undefined) {
    if (!modes.url) return undefined;
    const heading = `The MCP server ${server} wants you to open a page of ${new URL(url).host} (for ${tool}):`;
    return { mode: 'url', message: [heading, ...said].join('\n'), url, elicitationId: randomUUID() };
  }
  const fields = formFields(form.schema);
  if (!modes.form || fields === undefined) return undefined;
  const warning = secretsWarning(fields);
  const message = [`The MCP server ${server} asks (for ${tool}):`, ...said, ...(warning === undefined ? [] : [warning])].join('\n');
  const params: unknown = { mode: 'form', message, requestedSchema: formSchema(fields) };
  return isSpecType.ElicitRequestFormParams(params) ? params : undefined;
}

const VALUE = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const RESPONSE = z.union([
  z.object({ action: z.literal('accept'), content: z.record(z.string(), VALUE).default({}) }),
  z.object({ action: z.enum(['decline', 'cancel']) }),
]);

/** Reads the answer of a client. It is untrusted: an invalid one counts as a cancellation. */
export function readFilled(response: unknown): FilledForm {
  const read = RESPONSE.safeParse(response);
  return read.success ? read.data : { action: 'cancel' };
}
