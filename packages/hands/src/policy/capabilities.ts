import { SynapseError } from '@synapse/protocol';
import type { PolicySource } from './policy.ts';
import type { RuleSource } from './rule.ts';

/**
 * The values of `allow`, in addition to reading. `exec` allows commands; what they may reach is set elsewhere. `fetch` allows reading
 * any page, with whatever an address carries to its host. `protected` allows changes to files that other programs execute.
 */
export const CAPABILITIES = ['write', 'exec', 'fetch', 'mcp', 'protected'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** `--yes` and `--allow` as rules. Deny and ask rules of other layers still apply. */
const CAPABILITY_RULES: Record<Capability, readonly RuleSource[]> = {
  write: ['write'],
  exec: ['exec'],
  fetch: ['fetch'],
  mcp: ['mcp'],
  protected: [{ rule: 'write', guarded: true }],
};

/**
 * Returns the capabilities that the hands were opened with, as a policy source.
 *
 * @throws SynapseError `invalid_arguments` for other words, which programs without types may give
 */
export function capabilitySource(capabilities: Iterable<Capability>): PolicySource {
  const given = new Set(capabilities);
  const unknown = [...given].find((word) => !CAPABILITIES.includes(word));
  if (unknown !== undefined)
    throw new SynapseError('invalid_arguments', `Unknown capability in allow: ${unknown}`, {
      hint: `The capabilities are: ${CAPABILITIES.join(', ')}. Rules belong in policy: { allow: [] }.`,
    });
  // `protected` adds to other capabilities; it does not replace them.
  if (!given.has('write')) given.delete('protected');
  return { layer: 'flags', origin: '--allow', settings: { allow: [...given].flatMap((capability) => CAPABILITY_RULES[capability]) } };
}
