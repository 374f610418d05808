import { NOT_UNDERSTOOD, type JudgedAccess } from './decision.ts';
import type { CommandRoute } from './command-route.ts';
import type { Mode } from './modes.ts';
import type { RuleReference } from './rule.ts';

/** Facts about a command, in addition to its accesses. */
export interface Deferral {
  readonly route: CommandRoute;
  readonly mode: Mode;
  readonly modeOrigin: string;
  /** Whether it may reach or change another machine. Sent data cannot be approved afterwards. */
  readonly network: boolean;
  /** Whether a change of an ordinary file asks. */
  readonly asksAboutChanges: boolean;
}

/** Whether only the mode or a built-in rule asks. Configured rules are never skipped. */
const onlyBuiltIn = ({ rule }: JudgedAccess, ...builtIn: string[]): boolean =>
  rule.layer === 'mode' || (rule.layer === 'built-in' && builtIn.includes(rule.text));

const isCommand = ({ access }: JudgedAccess): boolean => access.kind === 'exec' || access.kind === 'unknown';

/** Whether a question about a command that only reads can be skipped. */
function isUpToReader(judged: JudgedAccess): boolean {
  return isCommand(judged)
    ? onlyBuiltIn(judged, NOT_UNDERSTOOD)
    : judged.access.kind === 'possiblePath' && onlyBuiltIn(judged, 'built-in: protected');
}

/** Whether a question about a command can wait until its changes are known. */
function isUpToEffect(judged: JudgedAccess): boolean {
  const changes = judged.access.kind === 'write' || judged.access.kind === 'delete';
  // The command runs without network, and an approval would not change that. Its failure reports it.
  if (judged.access.kind === 'net') return judged.access.host !== undefined && onlyBuiltIn(judged);
  return changes ? onlyBuiltIn(judged, 'built-in: workspace') : isUpToReader(judged);
}

/**
 * Whether a question about an access is one about the command's changes as a whole, if it can wait. Without one, a rule allowed
 * the command itself, and thus what it changes: that can be undone, and protected places are withheld from it. Only a pattern,
 * such as `exec(rm *)`, is not meant for the whole workspace.
 */
function concernsAllChanges(judged: JudgedAccess): boolean {
  return isCommand(judged) || judged.access.kind === 'delete';
}

/** The sandbox has a private folder under this name, which is deleted after the command. */
const PRIVATE = /^tmp(?:\/|$)/u;

function isPrivate({ access, rule }: JudgedAccess): boolean {
  const isPath = access.kind === 'read' || access.kind === 'write' || access.kind === 'delete';
  return isPath && rule.text === 'built-in: outside' && !access.location.inside && PRIVATE.test(access.location.absolute);
}

function allowed(judged: JudgedAccess, rule: RuleReference): JudgedAccess {
  return { access: judged.access, verdict: 'allow', rule };
}

const BUILT_IN = { verdict: 'allow', layer: 'built-in', origin: 'Synapse' } as const;
const READS: RuleReference = { ...BUILT_IN, text: 'built-in: only reads', reason: 'it runs on the workspace mounted read-only, without network' };
const OWN_TMP: RuleReference = { ...BUILT_IN, text: 'built-in: private to the sandbox' };

/** What a mode does instead of asking about a command: it asks about its changes, or applies them. */
const ASKS_LATER = 'asks about what it changes';
const APPLIES = 'applies what it changes';

/**
 * Judges again the accesses that need no answer before a command runs. A reader can change nothing; for a transaction, the
 * user is asked about the changes instead. Configured rules, secrets, and the network are always decided before.
 */
export function deferToEffects(
  accesses: readonly JudgedAccess[],
  { route, mode, modeOrigin, network, asksAboutChanges }: Deferral,
): { accesses: JudgedAccess[]; deferred: boolean } {
  const reads = route.way === 'reader';
  const copies = route.way === 'transaction' && mode !== 'read-only' && !network;
  const later: RuleReference = {
    text: `mode ${mode}: ${asksAboutChanges ? ASKS_LATER : APPLIES}`,
    verdict: 'allow',
    layer: 'mode',
    origin: modeOrigin,
  };
  let deferred = false;
  const judged = accesses.map((one) => {
    if (one.verdict === 'allow') return one;
    if ((reads || copies) && isPrivate(one)) return allowed(one, OWN_TMP);
    if (!(reads ? isUpToReader(one) : copies && one.verdict === 'ask' && isUpToEffect(one))) return one;
    deferred ||= reads || concernsAllChanges(one);
    return allowed(one, reads ? READS : later);
  });
  return { accesses: judged, deferred };
}
