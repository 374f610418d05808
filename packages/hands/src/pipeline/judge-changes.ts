import { buildFolder, ignoresItself } from '../policy/tool-folders.ts';
import type { Policy } from '../policy/policy.ts';
import { MODE_VERDICTS } from '../policy/modes.ts';
import type { ChangeSet, EntryChange } from '../transaction/transaction.ts';
import { ifIgnored, judgeChange, nameOf, type ByRules } from './judge-change.ts';

/** What to do with the changes of a command. */
export interface ChangeVerdict {
  readonly verdict: 'apply' | 'ask';
  /** The reason, as a clause after "because". */
  readonly reason: string;
  /** Folders of build output that later commands see, apart from the workspace: no program of the user runs it without a yes. Default: none. */
  readonly outputs?: readonly string[];
}

/** Dependencies of {@link judgeChanges}. */
export interface ChangeJudging extends ByRules {
  /** The paths that the repository ignores; folders end in a slash. Undefined if that cannot be known. */
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string> | undefined>;
}

/** What of a change set is judged. */
type JudgedChanges = Pick<ChangeSet, 'changes' | 'withheld' | 'movesHidden' | 'seenOutputs'>;

const IGNORE_FILE = /(?:^|\/)\.gitignore$/iu;
const APPLY: ChangeVerdict = { verdict: 'apply', reason: 'nothing asks about it' };

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

/** The changes that depend on what the repository ignores, by the name that git has for them, and the reasons to ask about the others. */
interface SortedChanges {
  readonly reasons: string[];
  readonly output: string[];
  /** What a mode that allows changes asks about if the repository ignores it. */
  readonly unseen: string[];
  /** By folder of build output. */
  readonly built: Map<string, string[]>;
}

function sortChanges({ changes, seenOutputs }: JudgedChanges, byRules: ByRules): SortedChanges {
  const sorted: SortedChanges = { reasons: [], output: [], unseen: [], built: new Map() };
  for (const change of changes) {
    const folder = buildFolder(change.path) ?? '';
    // Written as it was, as git does with its configuration: there is nothing to review.
    if (change.isTimeOnly || seenOutputs.includes(folder)) continue;
    const judged = judgeChange(change, byRules);
    if (typeof judged === 'object') sorted.reasons.push(judged.asks);
    else if (judged === 'output' && !ignoresItself(change.path)) sorted.output.push(nameOf(change));
    else if (judged === 'unseen') sorted.unseen.push(...ifIgnored(change));
    else if (judged === 'built') sorted.built.set(folder, [...(sorted.built.get(folder) ?? []), nameOf(change)]);
  }
  return sorted;
}

/** Folders of build output that later commands see, and why the others ask. */
function judgeBuilt(
  built: SortedChanges['built'],
  { withheld, movesHidden }: JudgedChanges,
  mode: Policy['mode'],
  isIgnored: (path: string) => boolean,
) {
  const outputs: string[] = [];
  const reasons: string[] = [];
  for (const [folder, paths] of built) {
    const tracked = paths.find((path) => !isIgnored(path));
    const isWithheld = withheld.some(({ path }) => path === folder || path.startsWith(`${folder}/`));
    if (tracked === undefined && !isWithheld && !movesHidden) outputs.push(folder);
    // A review shows what is not ignored.
    else if (MODE_VERDICTS[mode].write !== 'allow' || paths.some(isIgnored))
      reasons.push(`mode "${mode}" asks before changes${tracked === undefined ? '' : `, and the repository does not ignore ${tracked}`}`);
  }
  return { outputs, reasons };
}

/**
 * Whether the changes of a command on its copy need approval: by the rules for each path, but if only a
 * mode asks, not for ignored output of builds, tests and caches.
 */
export async function judgeChanges(set: JudgedChanges, judging: ChangeJudging): Promise<ChangeVerdict> {
  const { policy, onlyRules = false } = judging;
  if (onlyRules && policy.asking.every(({ layer }) => layer === 'built-in')) return APPLY;
  const { reasons, output, unseen, built } = sortChanges(set, judging);
  const all = [...output, ...[...built.values()].flat()];
  const looked = [...all, ...unseen];
  const ignored = looked.length === 0 ? new Set<string>() : await judging.ignored(looked);
  const { mode } = policy;
  // Where that is not known, a mode that allows changes may not assume that a review shows them.
  const isIgnored = (path: string): boolean => ignored?.has(path) ?? MODE_VERDICTS[mode].write === 'allow';
  const folders = judgeBuilt(built, set, mode, isIgnored);
  const isNewlyRuled = newRules(set.changes);
  const program = unseen.find((path) => isIgnored(path) || isNewlyRuled(path));
  const tracked = output.find((path) => !isIgnored(path));
  const [reason] = [
    ...reasons,
    ...folders.reasons,
    ...(program === undefined ? [] : [`mode "${mode}" asks before changes of installed programs, and no review shows ${program}`]),
    ...(tracked === undefined ? [] : [`mode "${mode}" asks before changes, and the repository does not ignore ${tracked}`]),
  ];
  const { outputs } = folders;
  if (reason !== undefined) return { verdict: 'ask', reason, outputs };
  return { ...(all.length === 0 ? APPLY : { verdict: 'apply', reason: 'it changed nothing but output that the repository ignores' }), outputs };
}
