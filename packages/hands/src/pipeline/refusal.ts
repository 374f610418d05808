import { SynapseError, type SynapseErrorOptions } from '@synapse/protocol';
import { reasonFor, type Decision } from '../policy/decision.ts';
import type { Part } from '../policy/part.ts';
import type { HeldTool } from '../tool.ts';
import { protectedPlace } from '../danger/protected-places.ts';
import type { ScopedCall } from './call.ts';
import type { Grant } from './grants.ts';
import { isLoss } from './judge-losses.ts';

/** Which grant, if any, would have let a part through: for the hint. */
function grantFor({ kind }: Part): Grant | undefined {
  if (kind === 'write' || kind === 'delete') return 'write';
  return kind === 'read' || kind === 'mention' || kind === 'call' ? undefined : 'exec';
}

function howToAllow({ decisive: { part, rule } }: Decision): string {
  if (part.kind === 'net' && part.exec === undefined && part.host !== undefined && rule.layer === 'mode') {
    return `A person can allow it with a rule that names the host, "allow": ["fetch_url(domain:${part.host})"], or every host: --yes (CLI), --allow exec (MCP server) or allow: ["exec"] (library).`;
  }
  const guarded = rule.layer === 'built-in' && !isLoss(rule) && part.kind !== 'unknown';
  const grant = guarded && (part.kind === 'write' || part.kind === 'delete') ? 'protected' : guarded ? undefined : grantFor(part);
  if (grant === undefined) {
    return 'A person can allow it with a rule in the configuration that names it, such as "allow": ["read_file(.env)"]. Go on without it, or ask them.';
  }
  const byCommand = 'exec' in part && part.exec !== undefined;
  const grants = grant === 'protected' ? ['write', ...(byCommand ? ['exec'] : []), grant] : [grant];
  const flags = grant === 'protected' ? `--allow ${grants.join(',')}` : `--yes (CLI), --allow ${grant} (MCP server)`;
  const list = grants.map((name) => `"${name}"`).join(', ');
  return `A person can allow it: ${flags} or allow: [${list}] (library).`;
}

/** The protected place that a part would change, for the records. */
function guardedPlace(part: Part): string | undefined {
  if (part.kind !== 'write' && part.kind !== 'delete') return undefined;
  return protectedPlace(part.location.folded.split('/'))?.names.join('/');
}

/** A call that the policy does not let through, or a person. @param said by the person */
export function refusal(code: 'denied' | 'approval_required', call: ScopedCall, decision: Decision, said?: string): SynapseError {
  const reason = reasonFor(decision.decisive);
  const place = guardedPlace(decision.decisive.part);
  const details = { rule: decision.rule.text, verdict: decision.verdict, ...(place === undefined ? {} : { place }) };
  const options: SynapseErrorOptions =
    code === 'approval_required'
      ? { hint: howToAllow(decision), details }
      : { hint: said === undefined ? 'Do it another way, or ask the person who set the rule.' : `They said: ${said}`, details };
  const what = code === 'approval_required' ? 'needs approval, and nothing was done' : said === undefined ? 'is denied' : 'was denied by a person';
  return new SynapseError(code, `${call.tool.name} ${what}: ${reason}.`, options);
}

/** A tool that waits for a person's yes, and there is nobody to say it. */
export function heldBack(call: ScopedCall, { reason, hint, details }: HeldTool): SynapseError {
  return new SynapseError('approval_required', `${call.tool.name} needs approval, and nothing was done: ${reason}.`, {
    hint,
    details: { held: details.slice(0, 20) },
  });
}
