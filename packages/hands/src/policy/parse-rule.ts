import { nearest } from '../text/nearest.ts';
import { compileCommandPattern } from './command-pattern.ts';
import { patternNamesGuarded } from './guarded-paths.ts';
import { compileHostPattern } from './host-pattern.ts';
import { openEndedReason } from './interpreters.ts';
import type { Part } from './part.ts';
import { compilePathPattern, type Below } from './path-pattern.ts';
import type { Coverage, Layer, Reach, Rule, RuleObject, RuleSource } from './rule.ts';
import { subjectOf, SUBJECTS } from './rule-subject.ts';
import { checkExamples } from './rule-examples.ts';
import type { Verdict } from './verdict.ts';

/** What a rule is read against. */
export interface RuleContext {
  /** Names of the registered tools. */
  readonly tools: ReadonlySet<string>;
  /** What `~` stands for. */
  readonly home: string;
  /** Absolute names of the workspace. */
  readonly roots: readonly string[];
}

/** Where a rule stands. */
export interface RuleOrigin {
  readonly verdict: Verdict;
  readonly layer: Layer;
  readonly origin: string;
}

const RULE = /^([A-Za-z*][\w*:.-]*)(?:\(([^]*)\))?$/u;

interface Compiled {
  readonly covers: Rule['covers'];
  readonly reach: Reach;
  readonly opensGuarded?: boolean;
  readonly readPattern?: string | undefined;
}

const COVERAGE: Record<Below, Coverage> = { surely: 'yes', maybe: 'maybe', no: 'no' };

function isPath(part: Part): part is Part & { kind: 'read' | 'write' | 'delete' | 'mention' } {
  return part.kind === 'read' || part.kind === 'write' || part.kind === 'delete' || part.kind === 'mention';
}

/** A name with `*` for any characters. */
function nameMatcher(name: string): (tool: string) => boolean {
  if (!name.includes('*')) return (tool) => tool === name;
  const pattern = compileCommandPattern(`x ${name}x`);
  return (tool) => typeof pattern !== 'string' && pattern.matches(['x', `${tool}x`]);
}

/** A server named without a tool: a rule that stops nothing would be worse than none. */
const WHOLE_SERVER = /^mcp:[^:]*[^:*]$/u;

function compileBare(name: string, verdict: Verdict): Compiled {
  const isTool = nameMatcher(WHOLE_SERVER.test(name) ? `${name}:*` : name);
  const subject = subjectOf(name);
  const kinds = new Set<Part['kind']>(subject?.wide === true ? subject.kinds : []);
  return {
    reach: 'blanket',
    readPattern: name === 'read_file' || name === '*' ? '*' : undefined,
    covers: (part, tool) => {
      if (part.kind === 'mcp') return isTool(part.name) || isTool(tool) ? 'yes' : 'no';
      if (kinds.has(part.kind)) return 'yes';
      if (!isTool(tool)) return 'no';
      if (!isPath(part)) return 'yes';
      // What a command does to files is no matter of the tool: each has its own part. A rule that asks about every command
      // would otherwise hide every file from the command that a person then allowed.
      const byCommand = subject?.argument === 'command' && part.exec !== undefined;
      const ofCommand = verdict === 'ask' && subjectOf(tool)?.argument === 'command';
      return byCommand || ofCommand ? 'no' : 'yes';
    },
  };
}

function compileCommand(pattern: string, verdict: Verdict): Compiled | string {
  const compiled = compileCommandPattern(pattern);
  if (typeof compiled === 'string') return compiled;
  if (verdict !== 'allow') {
    return {
      reach: 'pattern',
      covers: (part) => {
        if (part.kind === 'unknown') return compiled.exactText === part.command.trim() ? 'yes' : 'no';
        if (part.kind !== 'exec') return 'no';
        return [part.exec.words, ...part.exec.forms].some((words) => compiled.matches(words) || compiled.matches(lower(words))) ? 'yes' : 'no';
      },
    };
  }
  if (compiled.wild && compiled.literalWords.length === 0)
    return 'the program must be named before the first *; to allow every command, write run_command';
  const openEnded = compiled.wild ? openEndedReason(compiled.literalWords) : undefined;
  if (openEnded !== undefined) return `it would allow any code: ${openEnded}. Write the whole command without *`;
  return {
    reach: compiled.wild ? 'pattern' : 'exact',
    covers: (part) => {
      if (part.kind === 'unknown') return compiled.exactText === part.command.trim() ? 'yes' : 'no';
      if (part.kind !== 'exec') return 'no';
      const { words, wrapped, altered } = part.exec;
      if (compiled.wild) return compiled.matches(words) ? 'yes' : 'no';
      // `npm test` does not allow `sudo npm test`; that one must be written out.
      return (!altered && compiled.matches(words)) || (wrapped !== undefined && compiled.matches(wrapped)) ? 'yes' : 'no';
    },
  };
}

/** A case-insensitive file system runs RM as rm. */
function lower(words: ReadonlyArray<string | undefined>): ReadonlyArray<string | undefined> {
  return words.map((word, index) => (index === 0 ? word?.toLowerCase() : word));
}

function compilePath(tool: string, pattern: string, verdict: Verdict, context: RuleContext): Compiled | string {
  const compiled = compilePathPattern(pattern, context.home);
  if (typeof compiled === 'string') return compiled;
  const subject = subjectOf(tool);
  const wide = new Set<Part['kind']>(subject !== undefined && (verdict !== 'allow' || subject.wide) ? subject.kinds : []);
  const reads = tool === 'read_file';
  return {
    reach: 'pattern',
    opensGuarded: patternNamesGuarded(pattern),
    readPattern: reads ? compiled.gitignore : undefined,
    covers: (part, calledTool) => {
      if (!isPath(part)) return 'no';
      // An unknown program may read what it names, and may write it.
      const concerned = wide.has(part.kind) || calledTool === tool || (part.kind === 'mention' && verdict !== 'allow');
      if (!concerned) return 'no';
      if (verdict === 'allow') return compiled.matches(part.location) ? 'yes' : 'no';
      if (compiled.matchesLoosely(part.location)) return part.kind === 'mention' && !(reads && /[./]/u.test(part.given)) ? 'maybe' : 'yes';
      // `tar c .` reads what lies in a folder that it only names, `unzip -d locked` writes there. Most only read where they are.
      if (part.kind === 'mention') return (reads || part.location.path !== '') && compiled.below(part.location) === 'surely' ? 'maybe' : 'no';
      return part.tree ? COVERAGE[compiled.below(part.location)] : 'no';
    },
  };
}

function compileHost(pattern: string): Compiled | string {
  const compiled = compileHostPattern(pattern);
  if (typeof compiled === 'string') return compiled;
  return {
    reach: 'pattern',
    opensGuarded: compiled.namesLocal,
    covers: (part) => (part.kind === 'net' && compiled.matches(part.host) ? 'yes' : 'no'),
  };
}

function compile(name: string, pattern: string | undefined, verdict: Verdict, context: RuleContext): Compiled | string {
  const bare = pattern === undefined || pattern.trim() === '*';
  if (bare) return compileBare(name, verdict);
  if (name.startsWith('mcp:') || name.includes('*')) return 'only a single tool takes a pattern in parentheses';
  const subject = subjectOf(name);
  if (subject?.argument === 'command') return compileCommand(pattern, verdict);
  if (subject?.argument === 'host') return compileHost(pattern);
  return compilePath(name, pattern, verdict, context);
}

function unknownTool(name: string, context: RuleContext): string | undefined {
  if (name.startsWith('mcp:'))
    return /^mcp:[\w.*-]+(?::[\w.*-]+)?$/u.test(name) ? undefined : 'a tool of an MCP server is written as mcp:server:tool';
  const known = [...new Set([...context.tools, ...Object.keys(SUBJECTS)])];
  const matches = nameMatcher(name);
  if (known.some((tool) => matches(tool))) return undefined;
  const near = nearest(name, known);
  return `there is no tool named ${name.slice(0, 64)}${near.length === 0 ? '' : `; did you mean ${near.join(', ')}?`}`;
}

/**
 * Reads a rule and checks its examples.
 *
 * @returns the rule, or in words what is wrong with it
 */
export function parseRule(source: RuleSource, origin: RuleOrigin, context: RuleContext): Rule | string {
  const object: RuleObject = typeof source === 'string' ? { rule: source } : source;
  const text = object.rule.trim();
  const [, name, pattern] = RULE.exec(text) ?? [];
  if (name === undefined) return 'a rule is a tool name, or a tool name with a pattern in parentheses, such as run_command(git push *)';
  const problem = unknownTool(name, context);
  if (problem !== undefined) return problem;
  const compiled = compile(name, pattern, origin.verdict, context);
  if (typeof compiled === 'string') return compiled;
  const rule: Rule = {
    ...origin,
    text,
    reason: object.reason,
    expiresAt: object.expiresAt,
    reach: compiled.reach,
    opensGuarded: object.guarded === true || compiled.opensGuarded === true,
    readPattern: compiled.readPattern,
    covers: compiled.covers,
  };
  return checkExamples(rule, name, object, context) ?? rule;
}
