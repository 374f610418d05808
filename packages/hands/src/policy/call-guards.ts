import { SynapseError, type Permission, type PermissionAction } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import { parseWorkspacePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { isGitData, protectedPlace } from '../danger/protected-places.ts';
import { decide } from './decide.ts';
import { reasonFor, type Decision } from './decision.ts';
import { readGuard, writeGuard } from './guarded-paths.ts';
import { locate, type Location } from './location.ts';
import type { Part } from './part.ts';
import type { Policy } from './policy.ts';
import type { Rule } from './rule.ts';
import { isStricter } from './verdict.ts';

/** Judges the places that a call really reaches, after its paths were resolved by handle. Each throws where it may not. */
export interface PlaceGuards {
  readonly change: (location: WorkspacePath) => void;
  readonly read: (location: WorkspacePath) => void;
  /** For what goes along with a folder: refused where a rule denies it, or where it is a repository's history. */
  readonly sweep: (location: WorkspacePath) => void;
  /**
   * For what a person saw that a command would change, or a command changed on a copy: it is not asked about again, but
   * what is denied, or another program executes, is refused all the same.
   */
  readonly effect: (location: WorkspacePath) => void;
  /** Why a rule keeps a command from changing a place; undefined where none does. */
  readonly denied: (location: WorkspacePath) => string | undefined;
  /** Whether a person lets calls change what other programs execute at this place. */
  readonly opens: (location: WorkspacePath) => boolean;
  /**
   * For what goes along with a folder that is moved, by its path in it: refused where rules say another thing under its
   * new name than under its old one.
   */
  readonly moves: (from: WorkspacePath, to: WorkspacePath) => (below: WorkspacePath) => void;
}

/** What a call was judged by, as places. */
interface JudgedCall {
  readonly tool: string;
  readonly permissions: readonly Permission[];
}

function judgedPlaces({ permissions }: JudgedCall, rootNames: readonly string[]): Set<string> {
  const places = new Set<string>();
  for (const { action, resource } of permissions) {
    try {
      places.add(`${action} ${displayPath(parseWorkspacePath(resource, rootNames))}`);
    } catch {
      // A command, a host, stored output, or a path that the call itself will refuse: no place to be let through.
    }
  }
  return places;
}

function refusal(decision: Decision, shown: string): SynapseError {
  const code = decision.verdict === 'deny' ? 'denied' : 'approval_required';
  return new SynapseError(
    code,
    `${shown} is where this leads, and that ${code === 'denied' ? 'is denied' : 'needs approval'}: ${reasonFor(decision.decisive)}.`,
    {
      hint: 'Name that place itself, so that it can be decided on.',
      details: { rule: decision.rule.text, verdict: decision.verdict },
    },
  );
}

/** What a command may not change, though nobody could know before it ran that it would. */
function notByEffect(decision: Decision, shown: string): SynapseError {
  const { rule, decisive } = decision;
  const why = rule.reason ?? reasonFor(decisive);
  return new SynapseError('denied', `${shown} is not changed by the effect of a command: ${why}.`, {
    hint: 'Change it with a file tool, so that a person can decide on that.',
    details: { rule: rule.text, verdict: decision.verdict, why },
  });
}

/** Whether a rule names something in one of two folders. Rules without a place say the same of both. */
function mayTellApart({ rules, roots }: Policy, tool: string, from: WorkspacePath, to: WorkspacePath): boolean {
  const parts = [from, to].flatMap((folder) => {
    const given = displayPath(folder);
    return (['read', 'write'] as const).map((kind): Part => ({ kind, given, location: locate(given, roots), tree: true, exec: undefined }));
  });
  // Synapse's own folder is known by its name, which is guarded as well.
  const namesPlace = ({ layer, text }: Rule): boolean => (layer === 'built-in' ? text.includes('(/') : text.includes('('));
  return rules.some((rule) => namesPlace(rule) && parts.some((part) => rule.covers(part, tool) !== 'no'));
}

const isGuarded = (location: Location): boolean => readGuard(location) !== undefined || writeGuard(location) !== undefined;

/** What would be opened, taken away or brought into force by giving it another name. */
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
 * The names of a call were judged before it began. A link can make a harmless name lead to a guarded place:
 * where that is, is known only once a handle is held, and is judged then.
 */
export function placeGuards(call: JudgedCall, policy: Policy, rootNames: readonly string[]): PlaceGuards {
  const judged = judgedPlaces(call, rootNames);
  const decideOn = (action: PermissionAction, resource: string): Decision => decide(policy, { tool: call.tool, permissions: [{ action, resource }] });
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
    denied(location) {
      const shown = displayPath(location);
      const found = (['write', 'read'] as const).map((action) => decideOn(action, shown)).find(({ verdict }) => verdict === 'deny');
      return found === undefined ? undefined : (found.rule.reason ?? reasonFor(found.decisive));
    },
    opens(location) {
      // What is dangerous by what is in it has a harmless name: there a name counts that no rule opens by chance.
      const place = protectedPlace(location) === undefined ? [...location, '.git', 'config'] : location;
      return decideOn('write', displayPath(place)).verdict === 'allow';
    },
    moves(from, to) {
      const isTold = mayTellApart(policy, call.tool, from, to);
      return (below) => {
        const [shown, then] = [displayPath([...from, ...below]), displayPath([...to, ...below])];
        if (!isTold && !isGuarded(locate(shown, rootNames)) && !isGuarded(locate(then, rootNames))) return;
        const [reading, readingThen] = [decideOn('read', shown), decideOn('read', then)];
        // Under its new name it may be read by more.
        if (isStricter(reading.verdict, readingThen.verdict)) throw notByMoving(reading, shown, then);
        const [writing, writingThen] = [decideOn('write', shown), decideOn('write', then)];
        if (writing.verdict === 'deny') throw notByMoving(writing, shown, then);
        if (writing.verdict === writingThen.verdict) return;
        throw notByMoving(isStricter(writing.verdict, writingThen.verdict) ? writing : writingThen, shown, then);
      };
    },
    effect(location) {
      const shown = displayPath(location);
      const reading = decideOn('read', shown);
      if (reading.verdict === 'deny') throw notByEffect(reading, shown);
      const writing = decideOn('write', shown);
      const isGuarded = protectedPlace(location) !== undefined && !isGitData(location);
      if (writing.verdict === 'deny' || (isGuarded && writing.verdict !== 'allow')) throw notByEffect(writing, shown);
    },
  };
}
