import type { Grant } from '../pipeline/grants.ts';
import type { PolicySource } from './policy.ts';
import type { RuleSource } from './rule.ts';

/** What `--yes` and `--allow` mean as rules. Deny and ask rules of other layers still count. */
const FLAG_RULES: Record<Grant, readonly RuleSource[]> = {
  write: ['write_file'],
  exec: ['run_command', 'fetch_url', 'mcp:*'],
  protected: [{ rule: 'write_file', guarded: true }],
};

/** The grants of whoever opened the hands as a source of a policy. */
export function flagSource(grants: Iterable<Grant>): PolicySource {
  const given = new Set(grants);
  // Protected places are opened beside others, not instead of them.
  if (!given.has('write')) given.delete('protected');
  return { layer: 'flags', origin: '--allow', settings: { allow: [...given].flatMap((grant) => FLAG_RULES[grant]) } };
}
