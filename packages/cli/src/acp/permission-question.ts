import type { PermissionOption } from '@agentclientprotocol/sdk';
import type { ApprovalAnswer, ApprovalRequest } from '@synapse/hands';
import { describeRequest, type DescribedRequest } from '@synapse/hands/internal';
import { fenced } from './plain-block.ts';
import type { ShownCall } from './shown.ts';
import { describeCall, titleLine, type KnownTool } from './tool-calls.ts';

/** Maximum number of characters of a question. A person does not read more, and must see all of what is approved. */
const MAX_QUESTION = 60_000;
/** Maximum number of characters of the rules in the name of an option, which must show them in full. */
const MAX_RULES = 160;
/** Maximum number of lines of output in a question about changes. */
const MAX_OUTPUT_LINES = 20;

/** A question for an editor, and what each of its options means. */
export interface PermissionQuestion {
  readonly title: string;
  /** Everything that must be seen to decide, as Markdown. */
  readonly text: string;
  /** The call that is asked about. */
  readonly call: ShownCall;
  readonly options: PermissionOption[];
  readonly answers: ReadonlyMap<string, ApprovalAnswer>;
}

/** Lines that were added or removed have their sign already. */
const asDiff = (lines: DescribedRequest['body']): string => lines.map(({ kind, text }) => (kind === 'plain' ? `  ${text}` : text)).join('\n');

/** Everything that must be seen to decide, in fences: Markdown could hide a part of it. */
function questionText({ body, effects, reason, changed, proposals }: DescribedRequest): string {
  const parts: string[] = [];
  if (changed === undefined) {
    if (body.length > 0) parts.push(fenced(asDiff(body), 'diff'));
  } else {
    parts.push(`It ${changed.ran}; the workspace is unchanged. These changes would be applied:`);
    parts.push(fenced([changed.headline, ...changed.notes].join('\n')));
    if (changed.changes.length > 0) parts.push(fenced(changed.changes.map(({ text }) => text).join('\n'), 'diff'));
    if (body.length > 0) parts.push('The command:', fenced(asDiff(body)));
    const output = changed.output.slice(-MAX_OUTPUT_LINES).map(({ text }) => text);
    if (output.length > 0) parts.push('It ended with:', fenced(output.join('\n')));
  }
  if (effects.length > 0) parts.push(fenced(`It ${effects.join('\n   ')}`));
  parts.push(fenced(`Asked because ${reason}`));
  for (const { rules, covers, doesNotCover } of proposals)
    parts.push(fenced(`"Always" would keep: ${rules.join(', ')}\n  also runs: ${covers}\n  still asks: ${doesNotCover}`));
  return parts.join('\n');
}

interface Choice extends PermissionOption {
  readonly answer: ApprovalAnswer;
}

function choices({ proposals, changed }: ApprovalRequest, described: DescribedRequest): Choice[] {
  const named = described.proposals.flatMap(({ rules }, index) => {
    const proposal = proposals[index];
    const text = rules.join(', ');
    return proposal === undefined || text.length > MAX_RULES ? [] : [{ proposal, text, index }];
  });
  return [
    {
      optionId: 'once',
      kind: 'allow_once',
      name: changed === undefined ? 'Allow once' : 'Apply these changes',
      answer: { verdict: 'allow', scope: 'once' },
    },
    ...named.map(({ proposal, text, index }): Choice => ({
      optionId: `session-${index}`,
      kind: 'allow_always',
      name: `Always in this session: ${text}`,
      answer: { verdict: 'allow', scope: 'session', proposal },
    })),
    ...named.map(({ proposal, text, index }): Choice => ({
      optionId: `project-${index}`,
      kind: 'allow_always',
      name: `Always here, for 30 days: ${text}`,
      answer: { verdict: 'allow', scope: 'project', proposal },
    })),
    { optionId: 'reject', kind: 'reject_once', name: 'Reject', answer: { verdict: 'deny' } },
  ];
}

/**
 * A request as a question for an editor.
 *
 * @returns undefined if it is too long to show in full
 */
export function permissionQuestion(request: ApprovalRequest, known: KnownTool | undefined, root: string): PermissionQuestion | undefined {
  const described = describeRequest(request);
  const text = questionText(described);
  if (text.length > MAX_QUESTION) return undefined;
  const { tool, callId, arguments: input } = request;
  const [first] = described.body;
  const title = described.changed?.headline ?? titleLine(described.heading, first?.text);
  const all = choices(request, described);
  return {
    title,
    text,
    call: { ...describeCall({ tool, input, known }, root), callId, title, status: 'pending' },
    options: all.map(({ optionId, kind, name }) => ({ optionId, kind, name })),
    answers: new Map(all.map(({ optionId, answer }) => [optionId, answer])),
  };
}

/** Reads the answer of an editor, the id of an option. Only one that was offered counts. */
export function readChoice(optionId: string | undefined, { answers }: Pick<PermissionQuestion, 'answers'>): ApprovalAnswer {
  const answer = optionId === undefined ? undefined : answers.get(optionId);
  return answer ?? { verdict: 'deny', reason: 'The editor gave no answer.' };
}
