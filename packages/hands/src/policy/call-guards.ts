import { type Permission, type PermissionAction, SynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import { parseWorkspacePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { protectedPlace } from '../danger/protected-places.ts';
import { decide, isStricter } from './decide.ts';
import { readVerdict } from './free-reads.ts';
import { COMMAND_ALLOWED, type Decision, reasonFor } from './decision.ts';
import { isPlainLocation, locate, locateIn, type Location, readGuard, writeGuard } from './guarded-location.ts';
import { isInstalledPlace } from './tool-folders.ts';
import type { Access } from './access.ts';
import type { Policy } from './policy.ts';
import type { Rule } from './rule.ts';
import { MODE_VERDICTS } from './modes.ts';

const pathAccesses = (given: string, location: Location, tree: boolean): Access[] =>
  (['read', 'write'] as const).map((kind) => ({ kind, given, location, tree, exec: undefined }));

/**
 * Returns a fast check for places that rules may deny, about 100 times faster than a decision, because a command may leave
 * 100,000 files. False is certain. If it returns true, `decide` gives the answer.
 */
export function mayDenyPlaces(policy: Policy, tool: string): (location: WorkspacePath) => boolean {
  const { mode, unreadable, denying, roots } = policy;
  const deniesAll = unreadable.length > 0 || MODE_VERDICTS[mode].write === 'deny';
  if (deniesAll || denying.some((rule) => rule.covers({ kind: 'call' }, tool) !== 'no')) return () => true;
  const covers = (rule: Rule, accesses: readonly Access[]): boolean => accesses.some((access) => rule.covers(access, tool) !== 'no');
  const rulesBelow = (folder: string, at: Location): readonly Rule[] | undefined => {
    const accesses = pathAccesses(folder, at, true);
    return isPlainLocation(at) ? denying.filter((rule) => covers(rule, accesses)) : undefined;
  };
  // The folder of the last place: a walk asks for one place of it after the other.
  let folder: string | undefined;
  let at = locate('.', roots);
  let rules: readonly Rule[] | undefined;
  return (location) => {
    const parent = displayPath(location.slice(0, -1));
    if (parent !== folder) {
      [folder, at] = [parent, locate(parent, roots)];
      rules = rulesBelow(parent, at);
    }
    if (rules === undefined) return true;
    const shown = displayPath(location);
    const plain = locateIn(at, location.at(-1));
    const place = plain ?? locate(shown, roots);
    if (plain === undefined && !isPlainLocation(place)) return true;
    const accesses = pathAccesses(shown, place, false);
    return rules.some((rule) => covers(rule, accesses));
  };
}

/** The places of a call that were already judged. */
interface JudgedCall {
  readonly tool: string;
  readonly permissions: readonly Permission[];
  /** See `ToolDefinition.restores`. Default: false. */
  readonly restores?: boolean;
  /** The decision that allowed the call. Default: none, so that nothing counts as approved. */
  readonly decision?: Decision;
}

function judgedPlaces({ permissions }: JudgedCall, rootNames: readonly string[]): Set<string> {
  const places = new Set<string>();
  for (const { action, resource } of permissions) {
    try {
      places.add(`${action} ${displayPath(parseWorkspacePath(resource, rootNames))}`);
    } catch {
      // A command, a host, stored output, or a path that the call itself refuses.
    }
  }
  return places;
}

/**
 * The protected places that the approver of a call, or of exactly this command, saw by name, with what is below them. Not what
 * contains such places, such as the whole workspace.
 */
function approvedPlaces({ decision, restores = false }: JudgedCall): string[] {
  // Who takes a change back does not think of what the earlier content makes other programs execute.
  if (decision === undefined || restores) return [];
  return decision.accesses.flatMap(({ access, verdict, rule }) => {
    if (verdict !== 'ask' && rule.text !== COMMAND_ALLOWED) return [];
    if (access.kind !== 'write' && access.kind !== 'delete') return [];
    const { location } = access;
    return location.inside && writeGuard(location) === 'protected' ? [location.path] : [];
  });
}

function refusal(decision: Decision, shown: string): SynapseError {
  const code = decision.verdict === 'deny' ? 'denied' : 'approval_required';
  return new SynapseError(
    code,
    `${shown} is where this leads, and that ${code === 'denied' ? 'is denied' : 'needs approval'}: ${reasonFor(decision.decisive)}.`,
    {
      hint: 'Pass that path directly, so that it can be approved.',
      details: { rule: decision.rule.text, verdict: decision.verdict },
    },
  );
}

/** Whether a rule names something in either folder. Rules without a place apply to both. */
function mayTellApart({ rules, roots }: Policy, tool: string, from: WorkspacePath, to: WorkspacePath): boolean {
  const accesses = [from, to].flatMap((folder) => {
    const given = displayPath(folder);
    return (['read', 'write'] as const).map((kind): Access => ({ kind, given, location: locate(given, roots), tree: true, exec: undefined }));
  });
  // Synapse's own folder is also guarded by its name.
  const namesPlace = ({ layer, pattern }: Rule): boolean => (layer === 'built-in' ? pattern?.startsWith('/') === true : pattern !== undefined);
  return rules.some((rule) => namesPlace(rule) && accesses.some((access) => rule.covers(access, tool) !== 'no'));
}

const isGuarded = (location: Location): boolean => readGuard(location) !== undefined || writeGuard(location) !== undefined;
const isInstalled = ({ folded }: Location): boolean => isInstalledPlace(folded);

/** Returns the error for a move that would expose, delete or activate something. */
function notByMoving(decision: Decision, shown: string, to: string): SynapseError {
  return new SynapseError(
    'denied',
    `${shown} would go along to ${to}, and rules say other things about these names: ${reasonFor(decision.decisive)}.`,
    {
      hint: 'Nothing was moved. Move the other parts of the folder one by one.',
      details: { rule: decision.rule.text, verdict: decision.verdict },
    },
  );
}

/**
 * Judges resolved paths. The paths of a call are judged before it starts, but a link can lead from a harmless name to a
 * guarded place. This is known only once a handle is open, so the resolved path is judged then.
 */
export function placeGuards(call: JudgedCall, policy: Policy, rootNames: readonly string[]): PlaceGuards {
  const judged = judgedPlaces(call, rootNames);
  const places = approvedPlaces(call);
  const decideOn = (action: PermissionAction, resource: string, restores = call.restores === true): Decision =>
    decide(policy, { tool: call.tool, permissions: [{ action, resource }], restores });
  let mayDeny: ReturnType<typeof mayDenyPlaces> | undefined;
  const guard = (action: 'read' | 'write') => (location: WorkspacePath) => {
    const shown = displayPath(location);
    if (judged.has(`${action} ${shown}`)) return;
    const decision = decideOn(action, shown);
    if (decision.verdict !== 'allow') throw refusal(decision, shown);
  };
  return {
    read: guard('read'),
    change: guard('write'),
    sweep(location) {
      const shown = displayPath(location);
      const decision = decideOn('write', shown);
      const isHistory = location.at(-1)?.toString().toLowerCase() === '.git';
      if (decision.verdict === 'deny' || (isHistory && decision.verdict !== 'allow')) throw refusal(decision, shown);
    },
    hides: (location) => readVerdict(policy, displayPath(location)) !== 'allow',
    denied(location, how = 'change') {
      mayDeny ??= mayDenyPlaces(policy, call.tool);
      if (!mayDeny(location)) return undefined;
      const shown = displayPath(location);
      // As for the file tools: a file may be deleted without permission to read it.
      const actions = how === 'delete' ? (['write'] as const) : (['write', 'read'] as const);
      const found = actions.map((action) => decideOn(action, shown)).find(({ verdict }) => verdict === 'deny');
      return found === undefined ? undefined : (found.rule.reason ?? reasonFor(found.decisive));
    },
    opens(location) {
      // A file with dangerous content has a harmless name, so it is judged under a name that no rule allows by accident.
      const place = protectedPlace(location) === undefined ? [...location, '.git', 'config'] : location;
      return decideOn('write', displayPath(place), false).verdict === 'allow';
    },
    approved(location, isFolder) {
      if (places.length === 0) return false;
      const shown = displayPath(location);
      return places.some((path) => path === shown || shown.startsWith(`${path}/`) || (isFolder && path.startsWith(`${shown}/`)));
    },
    moves(from, to) {
      const isTold = mayTellApart(policy, call.tool, from, to);
      // Then that was decided by the names in the call.
      const wasJudged = [from, to].some((folder) => isInstalled(locate(displayPath(folder), rootNames)));
      return (below) => {
        const [shown, then] = [displayPath([...from, ...below]), displayPath([...to, ...below])];
        const places = [shown, then].map((path) => locate(path, rootNames)) as [Location, Location];
        // A folder of packages has very many entries, and a folder around it can be moved.
        if (!isTold && !places.some(isGuarded) && (wasJudged || isInstalled(places[0]) === isInstalled(places[1]))) return;
        const [reading, readingThen] = [decideOn('read', shown), decideOn('read', then)];
        // More rules may allow reading it under its new name.
        if (isStricter(reading.verdict, readingThen.verdict)) throw notByMoving(reading, shown, then);
        const [writing, writingThen] = [decideOn('write', shown), decideOn('write', then)];
        if (writing.verdict === 'deny') throw notByMoving(writing, shown, then);
        if (writing.verdict === writingThen.verdict) return;
        throw notByMoving(isStricter(writing.verdict, writingThen.verdict) ? writing : writingThen, shown, then);
      };
    },
  };
}
