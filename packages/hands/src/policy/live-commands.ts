import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { compileCommandPattern } from './command-pattern.ts';
import type { Effects } from './effects.ts';
import type { PolicyFile } from './load-policy.ts';
import { policyError } from './policy-error.ts';

interface LivePattern {
  readonly text: string;
  readonly label: string;
  readonly matches: (words: ReadonlyArray<string | undefined>) => boolean;
}

function readOne({ label, text }: PolicyFile, problems: string[]): LivePattern[] {
  // The policy reads the file first and reports invalid JSON.
  const root = parseTree(text.replace(/^\ufeff/u, ' '), [], { allowTrailingComma: true });
  const commands = root === undefined ? undefined : findNodeAtLocation(root, ['commands']);
  if (commands === undefined) return [];
  const live = findNodeAtLocation(commands, ['live']);
  const names = (commands.type === 'object' ? (commands.children ?? []) : []).map((property) => property.children?.[0]?.value as unknown);
  const items = live?.type === 'array' ? (live.children ?? []) : [];
  if (commands.type !== 'object' || names.some((name) => name !== 'live') || live?.type !== 'array' || items.some(({ type }) => type !== 'string')) {
    problems.push(`${label}: "commands" must be an object such as { "live": ["npm run dev *"] }.`);
    return [];
  }
  return items.flatMap(({ value }) => {
    const pattern = String(value);
    const compiled = compileCommandPattern(pattern);
    if (typeof compiled !== 'string') return [{ text: pattern, label, matches: (words) => compiled.matches(words) }];
    problems.push(`${label}: commands.live ${JSON.stringify(pattern.slice(0, 200))}: ${compiled}.`);
    return [];
  });
}

/**
 * Reads which commands run on the workspace itself: `commands.live` of the configuration files, a list of patterns as in
 * `exec(…)` rules. A project's list is ignored until the project is trusted: undo does not cover live commands.
 *
 * @returns a function that returns why a command runs live, or undefined if no pattern matches; undefined without patterns
 * @throws SynapseError `invalid_arguments` that lists every problem
 */
export function readLiveCommands(files: readonly PolicyFile[]): ((effects: Effects) => string | undefined) | undefined {
  const problems: string[] = [];
  const patterns = files.filter((file) => file.layer !== 'project' || file.trusted === true).flatMap((file) => readOne(file, problems));
  if (problems.length > 0) throw policyError(problems);
  if (patterns.length === 0) return undefined;
  return ({ execs }) => {
    const found = patterns.find(({ matches }) => execs.some(({ words, forms }) => [words, ...forms].some(matches)));
    return found === undefined ? undefined : `commands.live has ${found.text} [${found.label}]`;
  };
}
