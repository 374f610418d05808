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

/** The lines of a question: what must be seen to decide, then why it is asked and what a wider yes would mean. */
interface Question {
  readonly verb: string;
  readonly essential: readonly string[];
  readonly more: readonly string[];
  /** The effects of a command, which stand first where the command is cut: its end might hide them. */
  readonly effects: readonly string[];
}

/** Describes a question asked before anything runs: first what will happen, in full. */
function callQuestion(described: DescribedRequest, { arguments: given }: ApprovalRequest): Question {
  const { heading, body, effects, reason } = described;
  const [first, ...rest] = newTextFirst(body);
  return {
    verb: 'Allow',
    essential: [
      `${heading}${first === undefined ? '' : `: ${first.text}`}`,
      ...indented(rest),
      ...(effects.length === 0 ? [] : [`It ${effects.join(' · ')}`]),
    ],
    more: [`Asked because ${reason}`, ...ruleLines(described)],
    effects: Object.hasOwn(given, 'command') ? effects : [],
  };
}

/** Describes a question about what a command changed. The headline replaces the command if it contains it in full. */
function changesQuestion(described: DescribedRequest, changed: DescribedChanges, diffs: boolean): Question {
  const changes = changed.changes.filter(({ text }) => diffs || !text.startsWith(' '));
  const isTold = changed.tellsCommand && described.body.length === 1;
  return {
    verb: 'Apply',
    essential: [
      `${changed.headline} It ${changed.ran}; the workspace is unchanged.`,
      ...(isTold ? [] : ['The command:', ...indented(described.body)]),
      ...indented(changes),
      ...(diffs ? [] : ['  (The changed lines are too many to be shown here.)']),
      ...changed.notes.map((note) => `  ${note}`),
    ],
    more: [
      ...(changed.output.length === 0 ? [] : ['It ended with:', ...indented(changed.output.slice(-MAX_OUTPUT_LINES))]),
      `Asked because ${described.reason}`,
      ...ruleLines(described),
    ],
    effects: [],
  };
}

/** Replaces line ends for clients that show few lines. */
const LINE_END = '⏎';
/** Maximum number of characters of the effects that are before a command that is cut. */
const MAX_EFFECTS = 80;

/** The first effects in one line, with the number of those left out. */
function briefly(effects: readonly string[]): string {
  const [first = '', ...more] = effects;
  let line = first.length > MAX_EFFECTS ? `${first.slice(0, MAX_EFFECTS).toWellFormed()}…` : first;
  let told = 1;
  for (const effect of more) {
    if (line.length + effect.length > MAX_EFFECTS) break;
    line += ` · ${effect}`;
    told += 1;
  }
  return `It ${line}${told < effects.length ? ` (+${effects.length - told} more)` : ''}`;
}

/** Puts lines into one. Only our sign ends a line. */
const inOneLine = (lines: readonly string[]): string => lines.map((one) => one.trim().replaceAll(LINE_END, '\\u23ce')).join(` ${LINE_END} `);

/** The text of a question, and whether the client shows all that must be seen to decide. */
interface QuestionText {
  readonly text: string;
  readonly isWhole: boolean;
}

/** For clients that show little, formats the question as one line, which begins with the shown share: they cut without notice. */
function questionText({ verb, essential, more, effects }: Question, shown: number | undefined): QuestionText {
  const all = [...essential, ...more];
  if (shown === undefined) return { text: `${verb}? ${all.join('\n')}`, isWhole: true };
  const line = inOneLine(all);
  const whole = `${verb}? ${line}`;
  if (whole.length <= shown) return { text: whole, isWhole: true };
  const begin = `${verb} (${whole.length} characters; if they are cut here, an open synapse console shows all)? `;
  const isWhole = begin.length + inOneLine(essential).length <= shown;
  const first = isWhole || effects.length === 0 ? '' : `${inOneLine([briefly(effects)])} ${LINE_END} `;
  return { text: `${begin}${first}${line}`, isWhole };
}

/** Returns the text of the question; undefined if it is too long to show in full. */
function message(request: ApprovalRequest, { questionCharacters }: ClientTraits): QuestionText | undefined {
  const described = describeRequest(request);
  const { changed } = described;
  const versions =
    changed === undefined ? [callQuestion(described, request)] : [true, false].map((diffs) => changesQuestion(described, changed, diffs));
  const texts = versions.map((version, index): QuestionText => {
    const question = questionText(version, questionCharacters);
    // Without the changed lines, a person cannot decide what they mean.
    return { ...question, isWhole: question.isWhole && index === 0 };
  });
  return texts.find(({ text }) => text.length <= MAX_MESSAGE);
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
    reason: { type: 'string', title: 'Reason', description: 'Why not; the model sees it.' },
  };
}

/** Returns the question as an MCP form; undefined if it is too long to show in full. */
export function approvalForm(request: ApprovalRequest, client: ClientTraits = {}): ElicitRequestFormParams | undefined {
  const question = message(request, client);
  if (question === undefined) return undefined;
  return { mode: 'form', message: question.text, requestedSchema: { type: 'object', properties: fields(request) } };
}

/** Whether a client shows all of a question that must be seen to decide. */
export function showsAll(request: ApprovalRequest, client: ClientTraits): boolean {
  return message(request, client)?.isWhole === true;
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
  if (!parsed.success) return { verdict: 'deny', reason: 'Unrecognized answer.' };
  // Closed, or declined at once, as clients without a user do: there is no decision, so the call can wait.
  if (parsed.data.action === 'cancel' || (parsed.data.action === 'decline' && waitedMs < TOO_SOON_MS)) return { verdict: 'later' };
  if (parsed.data.action === 'decline') return { verdict: 'deny' };
  const content = CONTENT.safeParse(parsed.data.content);
  if (!content.success) return { verdict: 'deny', reason: 'Unrecognized answer.' };
  const { decision, reason } = content.data;
  if (decision === 'deny') return { verdict: 'deny', ...(reason === undefined || reason.trim() === '' ? {} : { reason }) };
  if (decision === 'allow') return { verdict: 'allow', scope: 'once' };
  return proposal === undefined ? { verdict: 'deny', reason: 'No rule can be kept.' } : { verdict: 'allow', scope: 'session', proposal };
}
