import { locate } from './guarded-location.ts';
import type { Access } from './access.ts';
import { compileCommandPattern } from './command-pattern.ts';
import { programName, programsLike } from './program-table.ts';
import type { Policy } from './policy.ts';

/**
 * Returns a check for paths of the workspace that configured rules forbid any command to write; undefined if no rule does.
 * Omits Synapse's built-in rules: the sandbox protects those places in other ways.
 */
export function deniedWrites({ denying, roots }: Policy): ((path: string) => boolean) | undefined {
  const writeAccess = (path: string): Access => ({ kind: 'write', given: path, location: locate(path, roots), tree: false, exec: undefined });
  const rules = denying.filter(({ layer, action, tool }) => layer !== 'built-in' && (action === 'write' || tool === '*'));
  if (rules.length === 0) return undefined;
  return (path) => {
    const access = writeAccess(path);
    return rules.some((rule) => rule.covers(access, 'run_command') === 'yes');
  };
}

/**
 * Returns a check for paths, also outside the workspace, that configured rules forbid any command to read or ask about; undefined if no rule
 * does. Unlike a decision, it does not answer for a place that is only outside.
 */
export function deniedReads({ denying, asking, roots }: Policy): ((path: string) => boolean) | undefined {
  const rules = [...denying, ...asking].filter(({ layer, action, tool }) => layer !== 'built-in' && (action === 'read' || tool === '*'));
  if (rules.length === 0) return undefined;
  return (path) => {
    const access: Access = { kind: 'read', given: path, location: locate(path, roots), tree: false, exec: undefined };
    return rules.some((rule) => rule.covers(access, 'run_command') === 'yes');
  };
}

/**
 * Returns a check for folders below which configured rules deny or ask about a fixed place, such as `secrets/**`. A rule
 * such as `.env` does not count: it matches a name in any folder.
 */
export function deniesBelow({ denying, asking, roots }: Policy): (path: string) => boolean {
  const rules = [...denying, ...asking].filter((rule) => rule.layer !== 'built-in');
  return (path) => {
    const location = locate(path, roots);
    const accesses = (['read', 'write'] as const).map((kind): Access => ({ kind, given: path, location, tree: true, exec: undefined }));
    return rules.some((rule) => accesses.some((access) => rule.covers(access, 'run_command') === 'yes'));
  };
}

/**
 * Returns the programs that configured rules deny whatever their arguments, such as `curl` by `exec(curl *)`. Not shells: the sandbox starts
 * commands with one.
 */
export function deniedPrograms({ denying }: Policy): string[] {
  const names = denying.flatMap(({ layer, action, pattern }) => {
    const compiled = layer === 'built-in' || action !== 'exec' || pattern === undefined ? undefined : compileCommandPattern(pattern);
    const program = typeof compiled === 'object' ? compiled.program : undefined;
    return program === undefined || programsLike(programName(program)).some(({ shell }) => shell === true) ? [] : [program];
  });
  return [...new Set(names)];
}
