import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { describeRequest, type ApprovalAnswer, type ApprovalRequest } from '@synapse/hands';
import * as z from 'zod';

/** Characters of a question. A longer one would be cut by the client, and what is cut may be what matters. */
const MAX_MESSAGE = 16_000;

/** What a client sends back. It comes from outside: anything else is a denial. */
const CONTENT = z.object({ decision: z.enum(['allow', 'session', 'deny']), reason: z.string().max(2_000).optional() });
const RESPONSE = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });

function message(request: ApprovalRequest): string {
  const { heading, body, effects, reason, proposals } = describeRequest(request);
  const [proposal] = proposals;
  return [
    `Allow this? ${heading}`,
    ...body.map(({ text }) => `    ${text}`),
    ...(effects.length === 0 ? [] : ['It', ...effects.map((effect) => `  ${effect}`)]),
    `Asked because ${reason}`,
    ...(proposal === undefined
      ? []
      : [
          'For the session this rule would be kept:',
          ...proposal.rules.map((rule) => `  ${rule}`),
          `  also runs: ${proposal.covers}`,
          `  still asks: ${proposal.doesNotCover}`,
        ]),
  ].join('\n');
}

/** The question as a form of MCP; undefined where it is too long to be shown whole. */
export function approvalForm(request: ApprovalRequest): ElicitRequestFormParams | undefined {
  const text = message(request);
  if (text.length > MAX_MESSAGE) return undefined;
  const decisions = request.proposals.length === 0 ? ['allow', 'deny'] : ['allow', 'session', 'deny'];
  return {
    mode: 'form',
    message: text,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: 'allow: this once. session: by the rule above until the server ends.',
          enum: decisions,
        },
        reason: { type: 'string', title: 'Reason', description: 'Why not; the model is told.' },
      },
      required: ['decision'],
    },
  };
}

/** Reads what a client answered. Only a clear yes is one. */
export function readAnswer(response: unknown, { proposals: [proposal] }: ApprovalRequest): ApprovalAnswer {
  const parsed = RESPONSE.safeParse(response);
  if (!parsed.success) return { verdict: 'deny', reason: 'The answer was of no known form.' };
  if (parsed.data.action !== 'accept') return { verdict: 'deny', reason: parsed.data.action === 'decline' ? 'no' : 'The question was closed.' };
  const content = CONTENT.safeParse(parsed.data.content);
  if (!content.success) return { verdict: 'deny', reason: 'The answer was of no known form.' };
  const { decision, reason } = content.data;
  if (decision === 'deny') return { verdict: 'deny', ...(reason === undefined || reason.trim() === '' ? {} : { reason }) };
  if (decision === 'allow') return { verdict: 'allow', scope: 'once' };
  return proposal === undefined ? { verdict: 'deny', reason: 'There is no rule to keep.' } : { verdict: 'allow', scope: 'session', proposal };
}
