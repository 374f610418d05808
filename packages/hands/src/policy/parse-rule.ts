import { compileCommandPattern } from './command-pattern.ts';
import { canonicalHost, compileHostPattern, requestTo } from './host-pattern.ts';
import { compileRequestPattern } from '../net/request-pattern.ts';
import { mayBe } from './hidden-commands.ts';
import { openEndedReason } from './interpreters.ts';
import type { Access, PathAccess } from './access.ts';
import { type Below, compilePathPattern, type PathPattern } from './path-pattern.ts';
import {
  type Coverage,
  type Layer,
  nameMatcher,
  readRuleText,
  type Rule,
  type RuleAction,
  type RuleObject,
  type RuleSource,
  type RuleText,
  type Verdict,
} from './rule.ts';
import { locate, patternNamesGuarded } from './guarded-location.ts';
import { MAX_STEPS, type Steps } from './effects.ts';
import { shellEffects } from './shell-effects.ts';

/** Maximum number of examples of a rule. */
const MAX_EXAMPLES = 50;
/** Maximum length of an example in characters. */
const MAX_EXAMPLE = 2_000;
const TOO_MANY_STEPS = 'its examples, with those of the rules before it, take too long to check';

interface ExampleContext {
  readonly roots: readonly string[];
  readonly steps: Steps;
}

/** Returns the accesses of an example: a command, a host, a path or a tool name, depending on the rule. */
function exampleAccesses({ action }: Rule, example: string, { roots, steps }: ExampleContext): Access[] {
  if (action === 'exec') {
    const { execs, unknown } = shellEffects(example, '', false, steps);
    return [
      ...execs.map((exec): Access => ({ kind: 'exec', exec })),
      ...(unknown.length === 0 && execs.every(({ doubts }) => doubts.length === 0)
        ? []
        : [{ kind: 'unknown' as const, command: example, reasons: unknown }]),
    ];
  }
  if (action === 'fetch') {
    const [, method = 'GET', url = ''] = /^(?:([A-Z]{1,20}) )?(.*)$/su.exec(example) ?? [];
    return [{ kind: 'net', host: canonicalHost(url), exec: undefined, ...requestTo(url, method) }];
  }
  if (action === 'mcp') return [{ kind: 'mcp', name: example.startsWith('mcp:') ? example : `mcp:${example}` }];
  return [{ kind: action === 'read' ? 'read' : 'write', given: example, location: locate(example, roots), tree: false, exec: undefined }];
}

/** Whether a rule matches an example: an allow rule must cover all of it, a deny rule any of it. */
function coversExample(rule: Rule, example: string, context: ExampleContext): boolean {
  const { action, pattern, tool } = rule;
  if (action === 'tool' && pattern === undefined) return rule.covers({ kind: 'call' }, example) === 'yes';
  if (action === 'exec' && rule.covers({ kind: 'unknown', command: example, reasons: [] }, '') === 'yes') return true;
  const accesses = exampleAccesses(rule, example, context);
  const covered = (access: Access): boolean => rule.covers(access, tool) === 'yes';
  return rule.verdict === 'allow' ? accesses.length > 0 && accesses.every(covered) : accesses.some(covered);
}

/** Returns a message about the first example that a rule fails; undefined if it fails none. */
function checkExamples(rule: Rule, object: RuleObject, context: ExampleContext): string | undefined {
  const examples = [...(object.match ?? []), ...(object.notMatch ?? [])];
  if (examples.length > MAX_EXAMPLES) return `it has more than ${MAX_EXAMPLES} examples`;
  if (examples.some((example) => example.length > MAX_EXAMPLE)) return `one of its examples is longer than ${MAX_EXAMPLE} characters`;
  const lists = [
    ['match', object.match ?? [], false],
    ['notMatch', object.notMatch ?? [], true],
  ] as const;
  for (const [field, list, isWrong] of lists) {
    for (const example of list) {
      const covers = coversExample(rule, example, context);
      // An example that is only partly understood shows nothing.
      if (context.steps.left < 0) return TOO_MANY_STEPS;
      if (covers === isWrong)
        return `its example ${field} ${JSON.stringify(example.slice(0, 200))} is ${covers ? '' : 'not '}matched by ${rule.text}`;
    }
  }
  return undefined;
}

/** The context of a rule. */
export interface RuleContext {
  /** Names of the registered tools. */
  readonly tools: ReadonlySet<string>;
  /** The home folder, for `~`. */
  readonly home: string;
  /** Absolute names of the workspace. */
  readonly roots: readonly string[];
  /** The steps that checking the examples of its source may take. Default: those of one command. */
  readonly steps?: Steps;
}

/** The position of a rule. */
export interface RuleOrigin {
  readonly verdict: Verdict;
  readonly layer: Layer;
  readonly origin: string;
}

interface Compiled
  extends Pick<Rule, 'covers' | 'reach'>, Partial<Pick<Rule, 'kinds' | 'coversKinds' | 'broad' | 'opensGuarded' | 'readPattern' | 'requests'>> {}

/** The kinds of accesses that a rule about an action covers, for every tool and command. */
const KINDS: Record<Exclude<RuleAction, 'tool'>, ReadonlySet<Access['kind']>> = {
  read: new Set(['read']),
  write: new Set(['write', 'delete']),
  exec: new Set(['exec', 'unknown']),
  fetch: new Set(['net']),
  mcp: new Set(['mcp']),
};

const MCP_CALL: ReadonlySet<Access['kind']> = new Set(['mcp', 'call']);

const COVERAGE: Record<Below, Coverage> = { certain: 'yes', maybe: 'maybe', no: 'no' };

const PATHS: ReadonlySet<Access['kind']> = new Set(['read', 'write', 'delete', 'possiblePath']);

function isPath(access: Access): access is PathAccess {
  return PATHS.has(access.kind);
}

function compileBare(action: Exclude<RuleAction, 'tool' | 'mcp'>): Compiled {
  const kinds = KINDS[action];
  const readPattern = action === 'read' ? '*' : undefined;
  return { reach: 'blanket', kinds, coversKinds: true, readPattern, covers: ({ kind }) => (kinds.has(kind) ? 'yes' : 'no') };
}

/** Compiles a rule about a tool. It covers every access of the tool's calls. */
function compileTool(name: string, verdict: Verdict): Compiled {
  const isTool = nameMatcher(name);
  return {
    reach: 'blanket',
    readPattern: name === '*' ? '*' : undefined,
    covers: (access, tool) => {
      if (access.kind === 'mcp') return isTool(access.name) || isTool(tool) ? 'yes' : 'no';
      if (!isTool(tool)) return 'no';
      // The file effects of a command are separate accesses: otherwise a rule that asks about every command would hide the files
      // of a command that is then approved.
      return verdict === 'ask' && isPath(access) && access.byCommand === true ? 'no' : 'yes';
    },
  };
}

/** Compiles `github:create_issue`, `github:*`, or `github` for the whole server. Rejects other patterns: they would match nothing. */
function compileMcp(pattern: string | undefined): Compiled | string {
  if (pattern !== undefined && !/^[\w.*-]+(?::[\w.*-]+)?$/u.test(pattern)) return 'a tool of an MCP server is written as mcp(server:tool)';
  const name = pattern === undefined ? '*' : /:|\*$/u.test(pattern) ? pattern : `${pattern}:*`;
  const isTool = nameMatcher(`mcp:${name}`);
  const kinds = MCP_CALL;
  return { reach: 'blanket', kinds, covers: (access, tool) => (isTool(tool) || (access.kind === 'mcp' && isTool(access.name)) ? 'yes' : 'no') };
}

function compileCommand(pattern: string, verdict: Verdict, spans: boolean): Compiled | string {
  const compiled = compileCommandPattern(pattern, spans);
  if (typeof compiled === 'string') return compiled;
  if (verdict !== 'allow') {
    return {
      reach: 'pattern',
      kinds: KINDS.exec,
      covers: (access) => {
        const hides = verdict === 'deny' && compiled.exactText === undefined;
        if (access.kind === 'unknown') {
          if (compiled.exactText === access.command.trim()) return 'yes';
          return hides && (access.hidden ?? []).length > 0 ? 'maybe' : 'no';
        }
        if (access.kind !== 'exec') return 'no';
        const isIt = [access.exec.words, ...access.exec.forms].some((words) => compiled.matches(words) || compiled.matches(lower(words)));
        if (isIt) return 'yes';
        return hides && mayBe(compiled, access.exec) !== undefined ? 'maybe' : 'no';
      },
    };
  }
  const broad = compiled.wild ? broadReason(compiled.literalWords) : undefined;
  return {
    reach: compiled.wild ? (broad === undefined ? 'pattern' : 'broad') : 'exact',
    broad,
    kinds: KINDS.exec,
    covers: (access) => {
      if (access.kind === 'unknown') return compiled.exactText === access.command.trim() ? 'yes' : 'no';
      if (access.kind !== 'exec') return 'no';
      const { words, wrapped, altered } = access.exec;
      if (compiled.wild) return compiled.matches(words) ? 'yes' : 'no';
      // `npm test` does not allow `sudo npm test`, which a rule must name in full.
      return (!altered && compiled.matches(words)) || (wrapped !== undefined && compiled.matches(wrapped)) ? 'yes' : 'no';
    },
  };
}

/** Returns why an allow rule allows any code; undefined if it does not. */
function broadReason(literalWords: readonly string[]): string | undefined {
  return literalWords.length === 0 ? 'it names no program before the first *' : openEndedReason(literalWords);
}

/** Lower-cases the program name: a case-insensitive file system runs RM as rm. */
function lower(words: ReadonlyArray<string | undefined>): ReadonlyArray<string | undefined> {
  return words.map((word, index) => (index === 0 ? word?.toLowerCase() : word));
}

/** How certainly a rule that denies or asks is about an access of one of its kinds. */
function strictCoverage(pattern: PathPattern, { kind, given, location, tree }: PathAccess, reads: boolean): Coverage {
  if (pattern.matchesLoosely(location)) return kind === 'possiblePath' && !(reads && /[./]/u.test(given)) ? 'maybe' : 'yes';
  // `tar c .` reads the content of a folder that it only names; `unzip -d locked` writes there.
  if (kind === 'possiblePath') return (reads || location.path !== '') && pattern.below(location) === 'certain' ? 'maybe' : 'no';
  return tree ? COVERAGE[pattern.below(location)] : 'no';
}

function compilePath({ action, tool }: RuleText, pattern: string, verdict: Verdict, context: RuleContext): Compiled | string {
  const compiled = compilePathPattern(pattern, context.home);
  if (typeof compiled === 'string') return compiled;
  const reads = action === 'read';
  const own = KINDS[reads ? 'read' : 'write'];
  // An unknown program may read or write the files it names.
  const kinds = action === 'tool' ? PATHS : verdict === 'allow' ? own : new Set([...own, 'possiblePath'] as const);
  return {
    reach: 'pattern',
    kinds,
    opensGuarded: patternNamesGuarded(pattern),
    readPattern: reads ? compiled.gitignore : undefined,
    covers: (access, calledTool) => {
      if (!isPath(access) || !kinds.has(access.kind) || (action === 'tool' && calledTool !== tool)) return 'no';
      if (verdict === 'allow') return compiled.matches(access.location) ? 'yes' : 'no';
      return strictCoverage(compiled, access, reads);
    },
  };
}

/** Compiles `api.example.com GET /repos/**`: some requests of a host. */
function compileRequests(host: string, words: readonly string[], verdict: Verdict): Compiled | string {
  const hosts = compileHostPattern(host);
  if (typeof hosts === 'string') return hosts;
  const pattern = compileRequestPattern(words);
  if (typeof pattern === 'string') return pattern;
  return {
    reach: 'pattern',
    kinds: KINDS.fetch,
    opensGuarded: hosts.namesLocal,
    requests: { isAbout: (name) => hosts.matches(name), pattern },
    covers: (access) => {
      if (access.kind !== 'net' || !hosts.matches(access.host)) return 'no';
      const { request } = access;
      if (verdict === 'allow') return request !== undefined && pattern.covers(request.method, request.path) ? 'yes' : 'no';
      // What a command requests is refused by its proxy, where it has one.
      if (request === undefined) return 'maybe';
      return pattern.mayCover(request.method, request.path) ? 'yes' : 'no';
    },
  };
}

function compileHost(pattern: string, verdict: Verdict): Compiled | string {
  const [host = '', ...words] = pattern.trim().split(/\s+/u);
  if (words.length > 0) return compileRequests(host, words, verdict);
  const compiled = compileHostPattern(pattern);
  if (typeof compiled === 'string') return compiled;
  return {
    reach: 'pattern',
    kinds: KINDS.fetch,
    opensGuarded: compiled.namesLocal,
    covers: (access) => (access.kind === 'net' && compiled.matches(access.host) ? 'yes' : 'no'),
  };
}

function compile(read: RuleText, verdict: Verdict, context: RuleContext): Compiled | string {
  const { action, pattern, spans } = read;
  if (action === 'mcp') return compileMcp(pattern);
  if (pattern === undefined) return action === 'tool' ? compileTool(read.tool, verdict) : compileBare(action);
  if (action === 'exec') return compileCommand(pattern, verdict, spans);
  return action === 'fetch' ? compileHost(pattern, verdict) : compilePath(read, pattern, verdict, context);
}

/**
 * Parses a rule and checks its examples.
 *
 * @returns the rule, or a message about what is wrong with it
 */
export function parseRule(source: RuleSource, origin: RuleOrigin, context: RuleContext): Rule | string {
  const object: RuleObject = typeof source === 'string' ? { rule: source } : source;
  const text = object.rule.trim();
  const read = readRuleText(text, context.tools);
  if (typeof read === 'string') return read;
  const compiled = compile(read, origin.verdict, context);
  if (typeof compiled === 'string') return compiled;
  const rule: Rule = {
    ...origin,
    text,
    action: read.action,
    tool: read.tool,
    pattern: read.pattern,
    reason: object.reason,
    expiresAt: object.expiresAt,
    reach: compiled.reach,
    broad: compiled.broad,
    opensGuarded: object.guarded === true || compiled.opensGuarded === true,
    readPattern: compiled.readPattern,
    requests: compiled.requests,
    kinds: compiled.kinds,
    coversKinds: compiled.coversKinds === true,
    covers: compiled.covers,
  };
  return checkExamples(rule, object, { roots: context.roots, steps: context.steps ?? { left: MAX_STEPS } }) ?? rule;
}
