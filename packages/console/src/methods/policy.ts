import { MODE_MEANINGS, MODES, modeTable } from '@synapse/hands/policy';
import { SynapseError } from '@synapse/protocol';
import type { Handlers } from './method.ts';

type Rule = { readonly verdict: string; readonly rule: string; readonly layer: string; readonly origin: string; readonly reason?: string };

const shown = ({ verdict, rule, layer, origin, reason }: Rule) => ({ verdict, rule, layer, origin, ...(reason === undefined ? {} : { reason }) });

export const policy: Handlers<'policy'> = {
  'policy.report': (_, { project }) => {
    const { mode, modeOrigin, rules, grants, notices, problems } = project.hands.policy();
    return {
      mode,
      modeOrigin,
      modes: MODES.map((one) => ({
        mode: one,
        meaning: MODE_MEANINGS[one],
        answers: modeTable().map(({ calls, answers }) => ({ calls, answer: answers[one] })),
      })),
      rules: rules.map((rule) => ({ ...shown(rule), ...(rule.expiresAt === undefined ? {} : { expiresAt: rule.expiresAt }) })),
      grants: grants.map(({ scope, tool, rules: own, grantedAt, expiresAt }) => ({
        scope,
        tool,
        rules: [...own],
        grantedAt,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })),
      notices: [...notices, ...problems],
    };
  },
  'policy.explain': async ({ tool, input }, { project }) => {
    const { verdict, reason, mode, rule, accesses, tried, outcome } = await project.hands.explain(tool, input);
    return {
      verdict,
      reason,
      mode,
      rule: shown(rule),
      accesses: accesses.map((one) => ({ access: one.access, verdict: one.verdict, rule: one.rule.rule, origin: one.rule.origin })),
      tried: tried.map((one) => ({ rule: one.rule, verdict: one.verdict, origin: one.origin, access: one.access, matched: one.matched })),
      outcome,
    };
  },
  'policy.revoke': ({ number, rules }, { project }) => {
    const grant = project.hands.policy().grants[number - 1];
    // The list may have changed since it was shown. Only revoke what the user saw.
    if (grant === undefined || JSON.stringify(grant.rules) !== JSON.stringify(rules)) {
      throw new SynapseError('conflict', 'The list of approvals has changed.', { hint: 'Look at it again.' });
    }
    project.hands.revoke(number);
    project.emit({ type: 'stale', topics: ['policy'] });
    return { message: 'Revoked.' };
  },
};
