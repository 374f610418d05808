import { buildOutput } from '../policy/build-output.ts';
import { decide } from '../policy/decide.ts';
import type { Decision } from '../policy/decision.ts';
import { locate } from '../policy/location.ts';
import type { Policy } from '../policy/policy.ts';
import type { ChangeSet, EntryChange } from '../transaction/transaction.ts';

/** What is to become of what a command changed. */
export interface ChangeVerdict {
  readonly verdict: 'apply' | 'ask';
  /** Why, as it goes on after "because". */
  readonly reason: string;
}

/** What changes are judged by. */
export interface ChangeJudging {
  readonly policy: Policy;
  readonly tool: string;
  /** Which of these paths the repository ignores; folders end in a slash. */
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Only a rule about everything matches these. */
const UNLIKELY = ['-', '-/-'];

const APPLY: ChangeVerdict = { verdict: 'apply', reason: 'nothing asks about it' };

/** Whether a rule of a person asks about something that may lie in a new folder. */
function isAskedBelow({ asking, roots, now }: Policy, tool: string, { path }: EntryChange): boolean {
  const part = { kind: 'write', given: path, location: locate(path, roots), tree: true, exec: undefined } as const;
  return asking.some((rule) => (rule.expiresAt === undefined || rule.expiresAt > now()) && rule.covers(part, tool) !== 'no');
}

function judgeOne(change: EntryChange, { policy, tool }: ChangeJudging): 'allow' | 'output' | ChangeVerdict {
  const decideOn = (path: string): Decision => decide(policy, { tool, permissions: [{ action: 'write', resource: path }] });
  const { verdict, rule, decisive } = decideOn(change.path);
  const asks = (reason: string): ChangeVerdict => ({ verdict: 'ask', reason });
  if (change.type === 'directory' && isAskedBelow(policy, tool, change)) return asks(`a rule asks about what is below ${change.path}`);
  // A rule about all that is below a folder says nothing about its name: that one is as allowed as what it holds.
  const below = change.type === 'directory' && rule.layer === 'mode' ? UNLIKELY.map((name) => decideOn(`${change.path}/${name}`)) : [];
  if (verdict === 'allow' || (below.length > 0 && below.every((one) => one.verdict === 'allow'))) return 'allow';
  if (rule.layer === 'mode') return buildOutput(change.path) === undefined ? asks(`${rule.text} [${rule.origin}]`) : 'output';
  // What another program would run never gets as far as this; a commit does, and is what `trusted` is for.
  if (rule.layer === 'built-in' && verdict === 'ask' && policy.mode === 'trusted') return 'allow';
  return asks(`${change.path}: ${decisive.rule.text}${rule.reason === undefined ? '' : `, ${rule.reason}`}`);
}

/**
 * Whether a person has to be asked about what a command changed on its copy: by the rules for each place, and where only a
 * mode asks, not about output of builds, tests and caches that the repository ignores.
 */
export async function judgeChanges({ changes }: ChangeSet, judging: ChangeJudging): Promise<ChangeVerdict> {
  const output: string[] = [];
  for (const change of changes) {
    const judged = judgeOne(change, judging);
    if (judged === 'output') output.push(change.type === 'directory' ? `${change.path}/` : change.path);
    else if (judged !== 'allow') return judged;
  }
  if (output.length === 0) return APPLY;
  const ignored = await judging.ignored(output);
  const tracked = output.find((path) => !ignored.has(path));
  if (tracked === undefined) return { verdict: 'apply', reason: 'it changed nothing but output that the repository ignores' };
  return { verdict: 'ask', reason: `mode ${judging.policy.mode}: ${tracked} is not ignored by the repository` };
}
