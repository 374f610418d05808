import type { Access } from './access.ts';
import type { RequestPattern } from '../net/request-pattern.ts';
import { nearest } from '../text/nearest.ts';

/** The actions of rules. `tool` stands for a rule about a tool, by name. */
const RULE_ACTIONS = ['read', 'write', 'exec', 'fetch', 'mcp'] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number] | 'tool';

/** Requests that a rule is about. */
export interface RequestsOfRule {
  readonly isAbout: (host: string | undefined) => boolean;
  readonly pattern: RequestPattern;
}

/** The parsed text of a rule. */
export interface RuleText {
  readonly action: RuleAction;
  /** For `tool`: the tool's name, in which `*` stands for any characters. Empty for actions. */
  readonly tool: string;
  /** The text in the parentheses; undefined if the rule covers everything. */
  readonly pattern: string | undefined;
  /** Whether `*` in a command stands for several words, as in the rules of Claude Code. */
  readonly spans: boolean;
}

const RULE = /^([A-Za-z*][\w*:.-]*)(?:\(([^]*)\))?$/u;

/** Former names of rules. */
const OLD_NAMES: ReadonlyMap<string, RuleAction> = new Map([
  ['read_file', 'read'],
  ['write_file', 'write'],
  ['edit_file', 'write'],
  ['apply_patch', 'write'],
  ['delete_file', 'write'],
  ['delete_directory', 'write'],
  ['run_command', 'exec'],
  ['fetch_url', 'fetch'],
]);

/** The tools in rules of Claude Code settings. */
const CLAUDE_TOOLS: ReadonlyMap<string, RuleAction> = new Map([
  ['Bash', 'exec'],
  ['Read', 'read'],
  ['Grep', 'read'],
  ['Glob', 'read'],
  ['LS', 'read'],
  ['NotebookRead', 'read'],
  ['Edit', 'write'],
  ['Write', 'write'],
  ['MultiEdit', 'write'],
  ['NotebookEdit', 'write'],
  ['WebFetch', 'fetch'],
]);
/** Tools of Claude Code without an equivalent in Synapse. */
const CLAUDE_ONLY =
  /^(?:Agent|Task\w*|Skill|SlashCommand|WebSearch|PowerShell|Monitor|LSP|Workflow|TodoWrite|BashOutput|KillShell|ExitPlanMode|Cron\w+)$/u;
const CLAUDE_MCP = /^mcp__(.+?)(?:__(.*))?$/u;

function ofClaude(name: string, pattern: string | undefined): RuleText | string | undefined {
  const [, server, tool] = CLAUDE_MCP.exec(name) ?? [];
  if (server !== undefined) {
    if (pattern !== undefined) return 'a rule about a tool of an MCP server takes no pattern in parentheses';
    return { action: 'mcp', tool: '', pattern: `${server}:${tool === undefined || tool === '' ? '*' : tool}`, spans: false };
  }
  const action = CLAUDE_TOOLS.get(name);
  if (action === undefined) return CLAUDE_ONLY.test(name) ? `Synapse has no tool that corresponds to ${name}` : undefined;
  if (action === 'exec') return { action, tool: '', pattern: pattern?.replace(/:\*$/u, ' *'), spans: true };
  return { action, tool: '', pattern, spans: false };
}

/** Returns the current syntax for a rule with a former name. */
function inNewWords(name: string, pattern: string | undefined): string | undefined {
  const action = OLD_NAMES.get(name);
  if (action !== undefined) return pattern === undefined ? action : `${action}(${action === 'fetch' ? pattern.replace(/^domain:/u, '') : pattern})`;
  const server = /^mcp:(.+)$/u.exec(name)?.[1];
  if (server === undefined) return undefined;
  return server === '*' || server === '*:*' ? 'mcp' : `mcp(${server})`;
}

const isAll = (pattern: string | undefined): boolean => pattern === undefined || pattern.trim() === '*';

/**
 * Parses the text of a rule: `write(src/**)`, `exec(npm test)`, `fetch`, `mcp(github:*)`, a tool name, or a rule of
 * Claude Code settings.
 *
 * @param tools names of the registered tools
 * @returns the rule, or a message about what is wrong with it
 */
export function readRuleText(text: string, tools: ReadonlySet<string>): RuleText | string {
  const [, name, given] = RULE.exec(text.trim()) ?? [];
  if (name === undefined) return 'a rule is an action with a pattern in parentheses, such as exec(git push *), or the name of a tool';
  const pattern = isAll(given) ? undefined : given;
  const action = RULE_ACTIONS.find((one) => one === name);
  if (action !== undefined) return { action, tool: '', pattern, spans: false };
  const renamed = inNewWords(name, pattern);
  if (renamed !== undefined) return `write ${renamed}`;
  const claude = ofClaude(name, pattern);
  if (claude !== undefined) return claude;
  const problem = unknownTool(name, pattern, tools);
  return problem ?? { action: 'tool', tool: name, pattern, spans: false };
}

function unknownTool(name: string, pattern: string | undefined, tools: ReadonlySet<string>): string | undefined {
  if (name.includes('*') && pattern !== undefined) return 'only a single tool takes a pattern in parentheses';
  const matches = nameMatcher(name);
  if (Array.from(tools).some(matches)) return undefined;
  const near = nearest(name, [...RULE_ACTIONS, ...tools]);
  return `${name.slice(0, 64)} is neither an action (${RULE_ACTIONS.join(', ')}) nor a tool${near.length === 0 ? '' : `; did you mean ${near.join(', ')}?`}`;
}

/** Returns a matcher for a name with `*` for any characters. Linear for any name, unlike a regular expression. */
export function nameMatcher(name: string): (tool: string) => boolean {
  const pieces = name.split('*');
  const [first = ''] = pieces;
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return (tool) => tool === name;
  return (tool) => {
    if (tool.length < first.length + last.length || !tool.startsWith(first) || !tool.endsWith(last)) return false;
    let from = first.length;
    for (const piece of pieces.slice(1, -1)) {
      const at = tool.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return tool.length - last.length >= from;
  };
}

/** Verdicts of a policy, from the most permissive to the strictest. */
export const VERDICTS = ['allow', 'ask', 'deny'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The source of a rule, by precedence. `built-in` rules come from Synapse. */
export const LAYERS = ['built-in', 'managed', 'flags', 'user', 'project', 'grant'] as const;
export type Layer = (typeof LAYERS)[number];

/** A rule with options. */
export interface RuleObject {
  /** The rule, such as `exec(git push *)`. */
  readonly rule: string;
  /** Examples that it must match. Checked when it is loaded. */
  readonly match?: readonly string[];
  /** Examples that it must not match. Checked when it is loaded. */
  readonly notMatch?: readonly string[];
  /** The reason, shown in questions and refusals. */
  readonly reason?: string;
  /** For an allow rule: whether it also allows secret and protected places below its pattern. */
  readonly guarded?: boolean;
  /** When the rule expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** A rule as written in a configuration. */
export type RuleSource = string | RuleObject;

/** Whether a rule covers an access; `maybe` if it covers something that may be below a folder. */
export type Coverage = 'yes' | 'maybe' | 'no';

/**
 * The scope of an allow rule: `blanket` for a whole action, `exact` for one command, `pattern` for every match, or `broad` for
 * a pattern that allows any code, such as `node *`, which applies only to commands in a sandbox.
 */
export type Reach = 'blanket' | 'exact' | 'pattern' | 'broad';

/** A compiled rule. */
export interface Rule {
  readonly verdict: Verdict;
  readonly layer: Layer;
  /** The rule as written. */
  readonly text: string;
  /** The action that it covers. */
  readonly action: RuleAction;
  /** For a rule about a tool: its name. */
  readonly tool: string;
  /** The text in its parentheses; undefined if it covers the whole action. */
  readonly pattern: string | undefined;
  /** Its file, or another name of its source. */
  readonly origin: string;
  readonly reason: string | undefined;
  readonly expiresAt: number | undefined;
  readonly reach: Reach;
  /** For a broad rule: why it allows any code. */
  readonly broad: string | undefined;
  /** Whether it allows secret places, and places that other programs run. */
  readonly opensGuarded: boolean;
  /** A gitignore line for reading; undefined if it does not cover reading. */
  readonly readPattern: string | undefined;
  /** The hosts and requests of a rule about requests, such as `fetch(api.example.com GET /repos/**)`. */
  readonly requests: RequestsOfRule | undefined;
  /** The kinds of accesses that it may cover; undefined if it may cover all. */
  readonly kinds: ReadonlySet<Access['kind']> | undefined;
  /** Whether it covers every access of these kinds, so that `covers` need not be asked. */
  readonly coversKinds: boolean;
  covers(access: Access, tool: string): Coverage;
}

/** A rule in a decision. */
export interface RuleReference {
  readonly text: string;
  readonly verdict: Verdict;
  readonly layer: Layer | 'mode';
  readonly origin: string;
  readonly reason?: string | undefined;
}

/** Whether a rule is one that a person wrote or granted, and not that of a mode or of Synapse itself. */
export const isOfPerson = ({ layer }: Pick<RuleReference, 'layer'>): boolean => layer !== 'mode' && layer !== 'built-in';
