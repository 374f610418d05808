import { locate } from './location.ts';
import type { Part } from './part.ts';
import type { Policy } from './policy.ts';

/**
 * Tells what of the workspace a person's rules deny writing, whatever a command does; undefined where no rule denies
 * any. Synapse's own rules are left out: the sandbox keeps those places in ways of its own.
 */
export function deniedWrites({ denying, roots }: Policy): ((path: string) => boolean) | undefined {
  const writePart = (path: string): Part => ({ kind: 'write', given: path, location: locate(path, roots), tree: false, exec: undefined });
  const rules = denying.filter((rule) => rule.layer !== 'built-in' && /^(?:\*|write_file|edit_file|apply_patch)(?:\(|$)/u.test(rule.text));
  if (rules.length === 0) return undefined;
  return (path) => {
    const part = writePart(path);
    return rules.some((rule) => rule.covers(part, 'run_command') === 'yes');
  };
}

/**
 * Tells below which folders a person's rules deny or ask about something by its place, as `secrets/**` does and `.env`
 * does not, which is found by its name wherever it is.
 */
export function deniesBelow({ denying, asking, roots }: Policy): (path: string) => boolean {
  const rules = [...denying, ...asking].filter((rule) => rule.layer !== 'built-in');
  return (path) => {
    const location = locate(path, roots);
    const parts = (['read', 'write'] as const).map((kind): Part => ({ kind, given: path, location, tree: true, exec: undefined }));
    return rules.some((rule) => parts.some((part) => rule.covers(part, 'run_command') === 'yes'));
  };
}
