import { buildFolder, buildOutput, ignoresItself, isInstalledIfIgnored } from '../policy/tool-folders.ts';
import { decide } from '../policy/decide.ts';
import { reasonFor, type Decision } from '../policy/decision.ts';
import { fold, locate } from '../policy/guarded-location.ts';
import { isGitData } from '../danger/git-data.ts';
import type { Policy } from '../policy/policy.ts';
import { MODE_VERDICTS } from '../policy/modes.ts';
import { MAX_INSTALLED } from '../transaction/change-collector.ts';
import type { ChangeSet, EntryChange } from '../transaction/transaction.ts';

/** What to do with the changes of a command. */
export interface ChangeVerdict {
  readonly verdict: 'apply' | 'ask';
  /** The reason, as a clause after "because". */
  readonly reason: string;
  /** Folders of build output that later commands see, apart from the workspace: no program of the user runs it without a yes. Default: none. */
  readonly outputs?: readonly string[];
}

/** Dependencies of {@link judgeChanges}. */
export interface ChangeJudging {
  readonly policy: Policy;
  readonly tool: string;
  /** The paths that the repository ignores; folders end in a slash. Undefined if that cannot be known. */
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string> | undefined>;
  /** Whether the command itself was allowed, so that only configured rules about paths still ask. Default: false. */
  readonly onlyRules?: boolean;
}

/** What of a change set is judged. */
type JudgedChanges = Pick<ChangeSet, 'changes' | 'withheld' | 'movesHidden' | 'seenOutputs'>;

/** Names that only a rule about everything matches. */
const UNLIKELY = ['-', '-/-'];

const GIT_FILE = /(?:^|\/)\.git(?:\/|$)/u;
const IGNORE_FILE = /(?:^|\/)\.gitignore$/iu;
const APPLY: ChangeVerdict = { verdict: 'apply', reason: 'nothing asks about it' };

/** Whether a configured rule asks about something that may be inside a new folder. */
function isAskedBelow({ asking, roots, now }: Policy, tool: string, { path }: EntryChange): boolean {
  const access = { kind: 'write', given: path, location: locate(path, roots), tree: true, exec: undefined } as const;
  return asking.some((rule) => (rule.expiresAt === undefined || rule.expiresAt > now()) && rule.covers(access, tool) !== 'no');
}

/** What names a change to git: folders end in a slash. */
const nameOf = ({ path, type }: EntryChange): string => (type === 'directory' ? `${path}/` : path);

/** What of a change are installed programs, if the repository ignores it. */
function ifIgnored(change: EntryChange): readonly string[] {
  const isItself = isInstalledIfIgnored(change.path.split('/').map(fold));
  return [...(isItself ? [nameOf(change)] : []), ...(change.ifIgnored ?? [])];
}

/** Returns a check whether git may ignore a path by rules that the command changed, which the repository does not have yet. */
function newRules(changes: readonly EntryChange[]): (path: string) => boolean {
  const ruled = changes
    .filter(({ path, isTimeOnly }) => IGNORE_FILE.test(path) && !isTimeOnly)
    .map(({ path }) => path.slice(0, -'.gitignore'.length));
  const folders = new Set([...ruled, ...changes.flatMap(({ path, isUnsure }) => (isUnsure === true ? [`${path}/`] : []))]);
  return (path) =>
    folders.size > 0 &&
    path.split('/').some((_, depth, names) =>
      folders.has(
        names
          .slice(0, depth)
          .map((name) => `${name}/`)
          .join(''),
      ),
    );
}

function judgeOne(change: EntryChange, { policy, tool, onlyRules = false }: ChangeJudging): 'allow' | 'output' | 'built' | 'unseen' | ChangeVerdict {
  const decideOn = (path: string): Decision => decide(policy, { tool, permissions: [{ action: 'write', resource: path }] });
  const { verdict, rule, decisive } = decideOn(change.path);
  const asks = (reason: string): ChangeVerdict => ({ verdict: 'ask', reason });
  if (change.type === 'directory' && isAskedBelow(policy, tool, change)) return asks(`a rule asks about what is below ${change.path}`);
  if (onlyRules) return verdict === 'allow' || rule.layer === 'mode' || rule.layer === 'built-in' ? 'allow' : asks(reasonFor(decisive));
  // A rule about the content of a folder does not mention the folder itself, which is allowed like its content.
  const below = change.type === 'directory' && rule.layer === 'mode' ? UNLIKELY.map((name) => decideOn(`${change.path}/${name}`)) : [];
  if (rule.layer === 'mode' && policy.mode !== 'trusted' && verdict !== 'deny' && isBuilt(change)) return 'built';
  // The new folder around them has a harmless name.
  const { installed = [] } = change;
  const programs = installed
    .slice(0, MAX_INSTALLED)
    .map(decideOn)
    .find((one) => one.verdict !== 'allow');
  if (programs !== undefined) return asks(reasonFor(programs.decisive));
  if (installed.length > MAX_INSTALLED) return asks(`it brings more than ${MAX_INSTALLED} folders of installed programs`);
  if (verdict === 'allow' && rule.layer === 'mode' && MODE_VERDICTS[policy.mode].programs === 'ask' && ifIgnored(change).length > 0) return 'unseen';
  if (verdict === 'allow' || (below.length > 0 && below.every((one) => one.verdict === 'allow'))) return 'allow';
  if (rule.layer === 'mode') {
    const { path, beyondOutput } = change;
    const isOutput = buildOutput(path) !== undefined;
    if (isOutput && beyondOutput === undefined) return 'output';
    return asks(`mode "${policy.mode}" asks before changes${isOutput ? `, and ${beyondOutput} may be more than output of a build` : ''}`);
  }
  // Files that other programs execute were left out before. Commits get here, and mode `trusted` is meant to allow them.
  if (rule.layer === 'built-in' && verdict === 'ask' && policy.mode === 'trusted') return 'allow';
  // Files of git itself, which users see as commits and branches.
  if (rule.layer === 'built-in' && GIT_FILE.test(change.path))
    return asks(isGitData(change.path.toLowerCase()) ? 'commits, branches and the index need approval' : `changes to ${change.path} need approval`);
  return asks(reasonFor(decisive));
}

/** Whether a change is inside a folder of build output, or is the folder. A link or a file with such a name is neither. */
function isBuilt({ path, type }: EntryChange): boolean {
  const folder = buildFolder(path);
  return folder !== undefined && (folder !== path || type === 'directory');
}

/**
 * Whether the changes of a command on its copy need approval: by the rules for each path, but if only a
 * mode asks, not for ignored output of builds, tests and caches.
 */
export async function judgeChanges({ changes, withheld, movesHidden, seenOutputs }: JudgedChanges, judging: ChangeJudging): Promise<ChangeVerdict> {
  const isConfigured = ({ layer }: { readonly layer: string }): boolean => layer !== 'built-in';
  if (judging.onlyRules === true && !judging.policy.asking.some(isConfigured)) return APPLY;
  const output: string[] = [];
  /** What a mode that allows changes asks about if the repository ignores it. */
  const unseen: string[] = [];
  const built = new Map<string, string[]>();
  const addBuilt = (path: string, named: string): void => {
    const folder = buildFolder(path) ?? '';
    built.set(folder, [...(built.get(folder) ?? []), named]);
  };
  const asked: ChangeVerdict[] = [];
  for (const change of changes) {
    // Written as it was, as git does with its configuration: there is nothing to review.
    if (change.isTimeOnly || seenOutputs.includes(buildFolder(change.path) ?? '')) continue;
    const judged = judgeOne(change, judging);
    const named = nameOf(change);
    if (judged === 'output' && !ignoresItself(change.path)) output.push(named);
    else if (judged === 'unseen') unseen.push(...ifIgnored(change));
    else if (judged === 'built') addBuilt(change.path, named);
    else if (typeof judged !== 'string') asked.push(judged);
  }
  const all = [...output, ...[...built.values()].flat()];
  const looked = [...all, ...unseen];
  const ignored = looked.length === 0 ? new Set<string>() : await judging.ignored(looked);
  const { mode } = judging.policy;
  // Where that is not known, a mode that allows changes may not assume that a review shows them.
  const isIgnored = (path: string): boolean => ignored?.has(path) ?? MODE_VERDICTS[mode].write === 'allow';
  const outputs: string[] = [];
  for (const [folder, paths] of built) {
    const tracked = paths.find((path) => !isIgnored(path));
    const isWithheld = withheld.some(({ path }) => path === folder || path.startsWith(`${folder}/`));
    if (tracked === undefined && !isWithheld && !movesHidden) outputs.push(folder);
    // A review shows what is not ignored.
    else if (MODE_VERDICTS[mode].write !== 'allow' || paths.some(isIgnored))
      asked.push({
        verdict: 'ask',
        reason: `mode "${mode}" asks before changes${tracked === undefined ? '' : `, and the repository does not ignore ${tracked}`}`,
      });
  }
  const isNewlyRuled = newRules(changes);
  const program = unseen.find((path) => isIgnored(path) || isNewlyRuled(path));
  if (program !== undefined)
    asked.push({ verdict: 'ask', reason: `mode "${mode}" asks before changes of installed programs, and no review shows ${program}` });
  const [first] = asked;
  if (first !== undefined) return { ...first, outputs };
  const tracked = output.find((path) => !isIgnored(path));
  if (tracked !== undefined)
    return { verdict: 'ask', reason: `mode "${mode}" asks before changes, and the repository does not ignore ${tracked}`, outputs };
  return { ...(all.length === 0 ? APPLY : { verdict: 'apply', reason: 'it changed nothing but output that the repository ignores' }), outputs };
}
