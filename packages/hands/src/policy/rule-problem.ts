import { homedir } from 'node:os';
import { parseRule } from './parse-rule.ts';
import type { Verdict } from './rule.ts';

/** Says what is wrong with a rule; undefined for a good one. */
export function ruleProblem(
  text: string,
  verdict: Verdict,
  { tools, root }: { readonly tools: ReadonlySet<string>; readonly root: string },
): string | undefined {
  const rule = parseRule(text, { verdict, layer: 'project', origin: 'the settings' }, { tools, home: homedir(), roots: [root] });
  return typeof rule === 'string' ? rule : undefined;
}
