import { canonicalHost } from './host-pattern.ts';
import { locate } from './location.ts';
import type { Part } from './part.ts';
import type { Rule, RuleObject } from './rule.ts';
import { subjectOf } from './rule-subject.ts';
import { shellEffects } from './shell-effects.ts';

/** What an example stands for under the tool of its rule: a command, a host, a path or a tool's name. */
function exampleParts(example: string, tool: string, roots: readonly string[]): Part[] {
  const subject = subjectOf(tool);
  if (subject?.argument === 'command') {
    const { execs, unknown } = shellEffects(example);
    return [
      ...execs.map((exec): Part => ({ kind: 'exec', exec })),
      ...(unknown.length === 0 && execs.every(({ doubts }) => doubts.length === 0)
        ? []
        : [{ kind: 'unknown' as const, command: example, reasons: unknown }]),
    ];
  }
  if (subject?.argument === 'host') return [{ kind: 'net', host: canonicalHost(example), exec: undefined }];
  if (tool.startsWith('mcp:')) return [{ kind: 'mcp', name: example }];
  const kind = subject?.kinds.includes('read') === true ? 'read' : 'write';
  return [{ kind, given: example, location: locate(example, roots), tree: false, exec: undefined }];
}

/** Whether a rule is about an example: an allow rule must cover all of it, a deny rule any of it. */
export function coversExample(rule: Rule, tool: string, example: string, roots: readonly string[]): boolean {
  if (tool.includes('*') && !tool.startsWith('mcp:')) return rule.covers({ kind: 'call' }, example) === 'yes';
  const parts = exampleParts(example, tool, roots);
  if (subjectOf(tool)?.argument === 'command' && rule.covers({ kind: 'unknown', command: example, reasons: [] }, tool) === 'yes') return true;
  // A rule about tools of a server must not match by its own name.
  const covered = (part: Part): boolean => rule.covers(part, part.kind === 'mcp' ? '' : tool) === 'yes';
  return rule.verdict === 'allow' ? parts.length > 0 && parts.every(covered) : parts.some(covered);
}

/** In words, the first example that a rule does not keep to. */
export function checkExamples(rule: Rule, tool: string, object: RuleObject, context: { readonly roots: readonly string[] }): string | undefined {
  for (const example of object.match ?? []) {
    if (!coversExample(rule, tool, example, context.roots)) return `its example match ${JSON.stringify(example)} is not matched by ${rule.text}`;
  }
  for (const example of object.notMatch ?? []) {
    if (coversExample(rule, tool, example, context.roots)) return `its example notMatch ${JSON.stringify(example)} is matched by ${rule.text}`;
  }
  return undefined;
}
