import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { type ApprovalAnswer, type ApprovalRequest } from '@synapse/hands';
import { describeRequest, type DescribedChanges, type DescribedRequest, type RequestLine } from '@synapse/hands/internal';
import * as z from 'zod';
import type { ClientTraits } from '../call-context.ts';

/** Maximum number of characters of a question. Clients cut longer ones, and the part they cut may be the one that matters. */
const MAX_MESSAGE = 16_000;
/** Maximum number of output lines in a question about changes. */
const MAX_OUTPUT_LINES = 5;

/** The answer of a client. It is untrusted: anything else counts as a denial. A form accepted without a choice is a yes. */
const CONTENT = z.object({ decision: z.enum(['allow', 'session', 'deny']).default('allow'), reason: z.string().max(2_000).optional() });
const RESPONSE = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });

/** The rule that would be kept for the session. */
function ruleLines({ proposals: [proposal] }: DescribedRequest): string[] {
  if (proposal === undefined) return [];
  const { rules, covers, doesNotCover } = proposal;
  return [`For the session this rule would be kept: ${rules.join(', ')}`, `  also runs: ${covers} · still asks: ${doesNotCover}`];
}

const indented = (lines: readonly RequestLine[]): string[] => lines.map(({ text }) => `  ${text}`);

/** Puts new text before the text it replaces: a client with little space shows only the beginning. */
function newTextFirst(lines: readonly RequestLine[]): RequestLine[] {
  const ordered: RequestLine[] = [];
  let removed: RequestLine[] = [];
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') ordered.push(line);
    else {
      ordered.push(...removed, line);
      removed = [];
    }
  }
  return [...ordered, ...removed];
}

/** Describes a question asked before anything runs: first what will happen, in full. */
function commandLines({ heading, body, effects, reason, ...described }: DescribedRequest): string[] {
  const [first, ...more] = newTextFirst(body);
  return [
    `${heading}${first === undefined ? '' : `: ${first.text}`}`,
    ...indented(more),
    ...(effects.length === 0 ? [] : [`It ${effects.join(' · ')}`]),
    `Asked because ${reason}`,
    ...ruleLines({ heading, body, effects, reason, ...described }),
  ];
}

/** Describes a question about what a command changed. The headline replaces the command if it contains it in full. */
function changesLines(described: DescribedRequest, changed: DescribedChanges, diffs: boolean): string[] {
  const changes = changed.changes.filter(({ text }) => diffs || !text.startsWith(' '));
  const [command, ...more] = described.body;
  const isTold = more.length === 0 && command !== undefined && changed.headline.startsWith(`${command.text} `);
  return [
    `${changed.headline} It ran on a copy; the workspace is unchanged.`,
    ...(isTold ? [] : ['The command:', ...indented(described.body)]),
    ...indented(changes),
    ...(diffs ? [] : ['  (The changed lines are too many to be shown here.)']),
    ...changed.notes.map((note) => `  ${note}`),
    ...(changed.output.length === 0 ? [] : ['It ended with:', ...indented(changed.output.slice(-MAX_OUTPUT_LINES))]),
    `Asked because ${described.reason}`,
    ...ruleLines(described),
  ];
}

/** Replaces line ends for clients that show few lines. */
const LINE_END = '⏎';

/** For clients that show little, formats the question as one line, which begins with the shown share: they cut without notice. */
function countedText(verb: string, lines: readonly string[], shown: number | undefined): string {
  if (shown === undefined) return `${verb}? ${lines.join('\n')}`;
  // Only ours ends a line.
  const line = lines.map((one) => one.trim().replaceAll(LINE_END, '\\u23ce')).join(` ${LINE_END} `);
  const whole = `${verb}? ${line}`;
  return whole.length <= shown ? whole : `${verb} (the first ${shown} of ${whole.length} characters are shown)? ${line}`;
}

/** Returns the text of the question; undefined if it is too long to show in full. */
function message(request: ApprovalRequest, { questionCharacters }: ClientTraits): string | undefined {
  const described = describeRequest(request);
  const { changed } = described;
  const versions =
    changed === undefined
      ? [countedText('Allow', commandLines(described), questionCharacters)]
      : [true, false].map((diffs) => countedText('Apply', changesLines(described, changed, diffs), questionCharacters));
  return versions.find((text) => text.length <= MAX_MESSAGE);
}

/** Returns the choices besides yes and no, for which clients have keys. No choice means yes. */
function fields({ changed, proposals }: ApprovalRequest): ElicitRequestFormParams['requestedSchema']['properties'] {
  if (proposals.length === 0) return {};
  return {
    decision: {
      type: 'string',
      title: 'Decision',
      description:
        changed === undefined
          ? 'allow: this once. session: by the rule above until the server ends.'
          : 'allow: apply exactly this. session: apply, and ask no more by the rule above until the server ends. deny: drop it.',
      enum: ['allow', 'session', 'deny'],
      default: 'allow',
    },
    reason: { type: 'string', title: 'Reason', description: 'Why not; the model is told.' },
  };
}

/** Returns the question as an MCP form; undefined if it is too long to show in full. */
export function approvalForm(request: ApprovalRequest, client: ClientTraits = {}): ElicitRequestFormParams | undefined {
  const text = message(request, client);
  if (text === undefined) return undefined;
  return { mode: 'form', message: text, requestedSchema: { type: 'object', properties: fields(request) } };
}

/** Milliseconds. A denial that arrives sooner comes from a client without a user: people do not read that fast. */
const TOO_SOON_MS = 1_000;

/**
 * Reads the answer of a client. Only a clear yes counts as one.
 *
 * @param waitedMs milliseconds since the question was sent
 */
export function readAnswer(response: unknown, { proposals: [proposal] }: ApprovalRequest, waitedMs: number): ApprovalAnswer {
  const parsed = RESPONSE.safeParse(response);
  if (!parsed.success) return { verdict: 'deny', reason: 'The answer was of no known form.' };
  // Closed, or declined at once, as clients without a user do: there is no decision, so the call can wait.
  if (parsed.data.action === 'cancel' || (parsed.data.action === 'decline' && waitedMs < TOO_SOON_MS)) return { verdict: 'later' };
  if (parsed.data.action === 'decline') return { verdict: 'deny' };
  const content = CONTENT.safeParse(parsed.data.content);
  if (!content.success) return { verdict: 'deny', reason: 'The answer was of no known form.' };
  const { decision, reason } = content.data;
  if (decision === 'deny') return { verdict: 'deny', ...(reason === undefined || reason.trim() === '' ? {} : { reason }) };
  if (decision === 'allow') return { verdict: 'allow', scope: 'once' };
  return proposal === undefined ? { verdict: 'deny', reason: 'No rule can be kept.' } : { verdict: 'allow', scope: 'session', proposal };
}
