import { buildFolder, buildOutput, isInstalledIfIgnored } from '../policy/tool-folders.ts';
import { decide } from '../policy/decide.ts';
import { reasonFor, type Decision } from '../policy/decision.ts';
import { fold, locate } from '../policy/guarded-location.ts';
import { isGitData } from '../danger/git-data.ts';
import type { Policy } from '../policy/policy.ts';
import { MODE_VERDICTS } from '../policy/modes.ts';
import { MAX_INSTALLED } from '../transaction/change-collector.ts';
import type { EntryChange } from '../transaction/transaction.ts';

/** How changes of a command are judged. */
export interface ByRules {
  readonly policy: Policy;
  readonly tool: string;
  /** Whether the command itself was allowed, so that only configured rules about paths still ask. Default: false. */
  readonly onlyRules?: boolean;
}

/**
 * What becomes of one change: it is allowed; it asks for a reason, as a clause after "because"; or that depends on what the repository ignores:
 * - `output`: it may be output of a build
 * - `built`: it is in a folder of build output
 * - `unseen`: it may bring programs that no review shows
 */
export type JudgedChange = 'allow' | 'output' | 'built' | 'unseen' | { readonly asks: string };

/** A change, and what the policy says about its path. */
interface Judging extends ByRules {
  readonly change: EntryChange;
  readonly decision: Decision;
  /** Whether only the mode decides, and no rule. */
  readonly isByMode: boolean;
  readonly decideOn: (path: string) => Decision;
}

/** Names that only a rule about everything matches. */
const UNLIKELY = ['-', '-/-'];

const GIT_FILE = /(?:^|\/)\.git(?:\/|$)/u;

/** What names a change to git: folders end in a slash. */
export const nameOf = ({ path, type }: EntryChange): string => (type === 'directory' ? `${path}/` : path);

/** What of a change are installed programs, if the repository ignores it. */
export function ifIgnored(change: EntryChange): readonly string[] {
  const isItself = isInstalledIfIgnored(change.path.split('/').map(fold));
  return [...(isItself ? [nameOf(change)] : []), ...(change.ifIgnored ?? [])];
}

/** Whether a change is inside a folder of build output, or is the folder. A link or a file with such a name is neither. */
function isBuilt({ path, type }: EntryChange): boolean {
  const folder = buildFolder(path);
  return folder !== undefined && (folder !== path || type === 'directory');
}

/** A configured rule asks about something that may be inside a new folder. */
function ruleBelow({ change: { path, type }, policy: { asking, roots, now }, tool }: Judging): JudgedChange | undefined {
  if (type !== 'directory') return undefined;
  const access = { kind: 'write', given: path, location: locate(path, roots), tree: true, exec: undefined } as const;
  const isAsked = asking.some((rule) => (rule.expiresAt === undefined || rule.expiresAt > now()) && rule.covers(access, tool) !== 'no');
  return isAsked ? { asks: `a rule asks about what is below ${path}` } : undefined;
}

/** The command was allowed. */
function allowedCommand({ decision: { verdict, rule, decisive }, onlyRules = false }: Judging): JudgedChange | undefined {
  if (!onlyRules) return undefined;
  return verdict === 'allow' || rule.layer === 'mode' || rule.layer === 'built-in' ? 'allow' : { asks: reasonFor(decisive) };
}

function builtHere({ change, decision, isByMode, policy }: Judging): JudgedChange | undefined {
  return isByMode && policy.mode !== 'trusted' && decision.verdict !== 'deny' && isBuilt(change) ? 'built' : undefined;
}

/** The new folder around installed programs has a harmless name. */
function installedPrograms({ change: { installed = [] }, decideOn }: Judging): JudgedChange | undefined {
  const refused = installed
    .slice(0, MAX_INSTALLED)
    .map(decideOn)
    .find(({ verdict }) => verdict !== 'allow');
  if (refused !== undefined) return { asks: reasonFor(refused.decisive) };
  return installed.length > MAX_INSTALLED ? { asks: `it brings more than ${MAX_INSTALLED} folders of installed programs` } : undefined;
}

function unseenPrograms({ change, decision, isByMode, policy }: Judging): JudgedChange | undefined {
  if (decision.verdict !== 'allow' || !isByMode || MODE_VERDICTS[policy.mode].programs !== 'ask') return undefined;
  return ifIgnored(change).length > 0 ? 'unseen' : undefined;
}

/** A rule about the content of a folder does not mention the folder itself, which is allowed like its content. */
function allowed({ change: { path, type }, decision, isByMode, decideOn }: Judging): JudgedChange | undefined {
  if (decision.verdict === 'allow') return 'allow';
  const isLikeContent = type === 'directory' && isByMode && UNLIKELY.every((name) => decideOn(`${path}/${name}`).verdict === 'allow');
  return isLikeContent ? 'allow' : undefined;
}

function askedByMode({ change: { path, beyondOutput }, isByMode, policy }: Judging): JudgedChange | undefined {
  if (!isByMode) return undefined;
  const isOutput = buildOutput(path) !== undefined;
  if (isOutput && beyondOutput === undefined) return 'output';
  return { asks: `mode "${policy.mode}" asks before changes${isOutput ? `, and ${beyondOutput} may be more than output of a build` : ''}` };
}

/** Files that other programs execute were left out before. Commits get here, and mode `trusted` is meant to allow them. */
function trustedCommits({ decision: { rule, verdict }, policy }: Judging): JudgedChange | undefined {
  return rule.layer === 'built-in' && verdict === 'ask' && policy.mode === 'trusted' ? 'allow' : undefined;
}

/** Files of git itself, which users see as commits and branches. */
function gitFiles({ change: { path }, decision: { rule } }: Judging): JudgedChange | undefined {
  if (rule.layer !== 'built-in' || !GIT_FILE.test(path)) return undefined;
  return { asks: isGitData(path.toLowerCase()) ? 'commits, branches and the index need approval' : `changes to ${path} need approval` };
}

/** In order: the first that knows decides. A change that none of them knows asks for the reason of its rule. */
const JUDGES: ReadonlyArray<(judging: Judging) => JudgedChange | undefined> = [
  ruleBelow,
  allowedCommand,
  builtHere,
  installedPrograms,
  unseenPrograms,
  allowed,
  askedByMode,
  trustedCommits,
  gitFiles,
];

/** Judges one change of a command by the rules for its path. */
export function judgeChange(change: EntryChange, byRules: ByRules): JudgedChange {
  const { policy, tool } = byRules;
  const decideOn = (path: string): Decision => decide(policy, { tool, permissions: [{ action: 'write', resource: path }] });
  const decision = decideOn(change.path);
  const judging: Judging = { ...byRules, change, decision, isByMode: decision.rule.layer === 'mode', decideOn };
  for (const judge of JUDGES) {
    const judged = judge(judging);
    if (judged !== undefined) return judged;
  }
  return { asks: reasonFor(decision.decisive) };
}
