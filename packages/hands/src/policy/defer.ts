import type { JudgedPart } from './decision.ts';
import type { CommandRoute } from './command-route.ts';
import type { Mode } from './modes.ts';
import type { RuleReference } from './rule.ts';

/** What is known of a command beside its parts. */
export interface Deferral {
  readonly route: CommandRoute;
  readonly mode: Mode;
  readonly modeOrigin: string;
  /** Whether it may reach another machine: what was sent is no effect that could be asked about later. */
  readonly network: boolean;
}

/** A person's rules are never set aside; what only a mode asks about, or Synapse itself, may be. */
const byNobody = ({ rule }: JudgedPart, ...builtIn: string[]): boolean =>
  rule.layer === 'mode' || (rule.layer === 'built-in' && builtIn.includes(rule.text));

const isCommand = ({ part }: JudgedPart): boolean => part.kind === 'exec' || part.kind === 'unknown';

/** What of a command that only reads needs no answer. */
function isUpToReader(judged: JudgedPart): boolean {
  return isCommand(judged) ? byNobody(judged, 'built-in: not understood') : judged.part.kind === 'mention' && byNobody(judged, 'built-in: protected');
}

/** What of a command can as well be decided when it is known what it changed. */
function isUpToEffect(judged: JudgedPart): boolean {
  const changes = judged.part.kind === 'write' || judged.part.kind === 'delete';
  return changes ? byNobody(judged, 'built-in: workspace') : isUpToReader(judged);
}

/** The sandbox has a folder of its own under this name, which is gone after the command. */
const PRIVATE = /^tmp(?:\/|$)/u;

function isPrivate({ part, rule }: JudgedPart): boolean {
  const isPath = part.kind === 'read' || part.kind === 'write' || part.kind === 'delete';
  return isPath && rule.text === 'built-in: outside' && !part.location.inside && PRIVATE.test(part.location.absolute);
}

function allowed(judged: JudgedPart, rule: RuleReference): JudgedPart {
  return { part: judged.part, verdict: 'allow', rule };
}

const BUILT_IN = { verdict: 'allow', layer: 'built-in', origin: 'Synapse' } as const;
const READS: RuleReference = { ...BUILT_IN, text: 'built-in: only reads', reason: 'it runs on the workspace mounted read-only, without network' };
const OWN_TMP: RuleReference = { ...BUILT_IN, text: 'built-in: private to the sandbox' };

/** What stays of the text of a mode that asks about effects. */
export const ASKS_LATER = 'asks about what it changes';

/**
 * Judges anew what needs no answer before a command runs: a reader can change nothing, and of a transaction a person is
 * asked about the changes instead. Rules that somebody wrote, secrets, and the network are decided before, whatever the way.
 */
export function deferToEffects(
  parts: readonly JudgedPart[],
  { route, mode, modeOrigin, network }: Deferral,
): { parts: JudgedPart[]; deferred: boolean } {
  const reads = route.way === 'reader';
  const copies = route.way === 'transaction' && mode !== 'read-only' && !network;
  const later: RuleReference = { text: `mode ${mode}: ${ASKS_LATER}`, verdict: 'allow', layer: 'mode', origin: modeOrigin };
  let deferred = false;
  const judged = parts.map((one) => {
    if (one.verdict === 'allow') return one;
    if ((reads || copies) && isPrivate(one)) return allowed(one, OWN_TMP);
    if (!(reads ? isUpToReader(one) : copies && one.verdict === 'ask' && isUpToEffect(one))) return one;
    deferred = true;
    return allowed(one, reads ? READS : later);
  });
  return { parts: judged, deferred };
}
