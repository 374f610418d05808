import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import {
  describeRequest,
  type ApprovalAnswer,
  type ApprovalRequest,
  type DescribedChanges,
  type DescribedRequest,
  type RequestLine,
} from '@synapse/hands';
import * as z from 'zod';

/** Characters of a question. A longer one would be cut by the client, and what is cut may be what matters. */
const MAX_MESSAGE = 16_000;
/** Lines of output beside a question about changes. */
const MAX_OUTPUT_LINES = 5;

/** What a client sends back. It comes from outside: anything else is a denial. */
const CONTENT = z.object({ decision: z.enum(['allow', 'session', 'deny']), reason: z.string().max(2_000).optional() });
const RESPONSE = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });

/** What would be kept for the session. */
function ruleLines({ proposals: [proposal] }: DescribedRequest): string[] {
  if (proposal === undefined) return [];
  return [
    'For the session this rule would be kept:',
    ...proposal.rules.map((rule) => `  ${rule}`),
    `  also runs: ${proposal.covers}`,
    `  still asks: ${proposal.doesNotCover}`,
  ];
}

const indented = (lines: readonly RequestLine[]): string[] => lines.map(({ text }) => `    ${text}`);

/** A question about a command before it runs. */
function commandMessage(described: DescribedRequest): string {
  const { heading, body, effects, reason } = described;
  return [
    `Allow this? ${heading}`,
    ...indented(body),
    ...(effects.length === 0 ? [] : ['It', ...effects.map((effect) => `  ${effect}`)]),
    `Asked because ${reason}`,
    ...ruleLines(described),
  ].join('\n');
}

/** A question about what a command changed: what comes first is seen also where a client shows little. */
function changesMessage(described: DescribedRequest, changed: DescribedChanges, diffs: boolean): string {
  const changes = changed.changes.filter(({ text }) => diffs || !text.startsWith(' '));
  return [
    `Apply this? ${changed.headline} It ran on a copy; the workspace is unchanged.`,
    ...indented(changes),
    ...(diffs ? [] : ['  (The changed lines are too many to be shown here.)']),
    ...changed.notes.map((note) => `  ${note}`),
    'The command:',
    ...indented(described.body),
    ...(changed.output.length === 0 ? [] : ['It ended with:', ...indented(changed.output.slice(-MAX_OUTPUT_LINES))]),
    `Asked because ${described.reason}`,
    ...ruleLines(described),
  ].join('\n');
}

/** The question in words; undefined where it is too long to be shown whole. */
function message(request: ApprovalRequest): string | undefined {
  const described = describeRequest(request);
  const { changed } = described;
  const versions = changed === undefined ? [commandMessage(described)] : [true, false].map((diffs) => changesMessage(described, changed, diffs));
  return versions.find((text) => text.length <= MAX_MESSAGE);
}

/** The question as a form of MCP; undefined where it is too long to be shown whole. */
export function approvalForm(request: ApprovalRequest): ElicitRequestFormParams | undefined {
  const text = message(request);
  if (text === undefined) return undefined;
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
          description:
            request.changed === undefined
              ? 'allow: this once. session: by the rule above until the server ends.'
              : 'allow: apply exactly this. session: apply, and ask no more by the rule above until the server ends. deny: drop it.',
          enum: decisions,
        },
        reason: { type: 'string', title: 'Reason', description: 'Why not; the model is told.' },
      },
      required: ['decision'],
    },
  };
}

/** Reads what a client answered. Only a clear yes is one. */
export function readAnswer(response: unknown, { proposals: [proposal], changed }: ApprovalRequest): ApprovalAnswer {
  const parsed = RESPONSE.safeParse(response);
  if (!parsed.success) return { verdict: 'deny', reason: 'The answer was of no known form.' };
  // Closed, as a client without a person does: nobody decided, and the changes can wait.
  if (parsed.data.action === 'cancel' && changed !== undefined) return { verdict: 'later' };
  if (parsed.data.action !== 'accept') return { verdict: 'deny', reason: parsed.data.action === 'decline' ? 'no' : 'The question was closed.' };
  const content = CONTENT.safeParse(parsed.data.content);
  if (!content.success) return { verdict: 'deny', reason: 'The answer was of no known form.' };
  const { decision, reason } = content.data;
  if (decision === 'deny') return { verdict: 'deny', ...(reason === undefined || reason.trim() === '' ? {} : { reason }) };
  if (decision === 'allow') return { verdict: 'allow', scope: 'once' };
  return proposal === undefined ? { verdict: 'deny', reason: 'There is no rule to keep.' } : { verdict: 'allow', scope: 'session', proposal };
}
