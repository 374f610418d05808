import { SynapseError } from '@synapse/protocol';
import { MAX_STEPS } from './effects.ts';
import { SECRET_PATTERNS } from './guarded-location.ts';
import { DEFAULT_MODE, isTighterMode, MODES, type Mode } from './modes.ts';
import { policyError } from './policy-error.ts';
import { parseRule, type RuleContext } from './parse-rule.ts';
import { type Layer, LAYERS, type Rule, type RuleAction, type RuleReference, type RuleSource, type Verdict, VERDICTS } from './rule.ts';

/** The `permissions` of one source. */
export interface PermissionSettings {
  readonly mode?: Mode;
  readonly allow?: readonly RuleSource[];
  readonly ask?: readonly RuleSource[];
  readonly deny?: readonly RuleSource[];
}

/** A source of permissions. */
export interface PolicySource {
  readonly layer: Exclude<Layer, 'built-in'>;
  /** A file, or another readable name. */
  readonly origin: string;
  readonly settings: PermissionSettings;
  /** For a project: whether its folder is trusted. Until then it can only make the policy stricter. Default: false for the project, else true. */
  readonly trusted?: boolean;
  /** For a file: entries that are not rules, such as a number. */
  readonly broken?: readonly BrokenRule[];
  /** The position of a rule in its file, as `file:line:column`. */
  position?(verdict: Verdict, index: number): string;
}

/** A rule that cannot be read. */
export interface BrokenRule {
  readonly verdict: Verdict;
  /** As written, shortened if necessary. */
  readonly text: string;
  /** `file:line:column: ` and what is wrong. */
  readonly problem: string;
}

/** The context of a policy. */
export interface PolicyOptions extends RuleContext {
  readonly sources: readonly PolicySource[];
  /** Absolute paths that no call may ever change: configuration, state, audit. */
  readonly neverWritable?: readonly string[];
  /** The clock for the expiry of grants. */
  readonly now?: () => number;
}

/** Compiled rules that judge calls. Immutable: a grant or a reload creates a new one. */
export interface Policy {
  readonly mode: Mode;
  /** Where the mode was set. */
  readonly modeOrigin: string;
  /** All rules, strictest first. */
  readonly rules: readonly Rule[];
  readonly denying: readonly Rule[];
  readonly asking: readonly Rule[];
  readonly allowing: readonly Rule[];
  readonly roots: readonly string[];
  readonly home: string;
  readonly tools: ReadonlySet<string>;
  /** Gitignore lines that searches must exclude, in order; later lines overrule earlier ones. */
  readonly readExclusions: readonly string[];
  /** Whether configured rules deny files or hosts. Then a command that is not understood may do something denied. */
  readonly deniesResources: boolean;
  /** Whether configured rules deny or ask about hosts. */
  readonly judgesHosts: boolean;
  /** Deny and ask rules that cannot be read. Until they are fixed, changes and commands are refused. */
  readonly unreadable: readonly RuleReference[];
  /** Every rule that cannot be read, with its file and line. */
  readonly problems: readonly string[];
  /** What is ignored, or allows more than expected, and why. */
  readonly notices: readonly string[];
  readonly now: () => number;
}

/** Actions on files and hosts, which a command that is not understood may also perform. */
const RESOURCES: ReadonlySet<RuleAction> = new Set(['read', 'write', 'fetch']);

/** The folder of a project's policy, protected from the calls that it restricts. */
const OWN_FOLDER = '.synapse/';

function builtIn(options: PolicyOptions): Array<{ rule: RuleSource; verdict: Verdict }> {
  const reason = 'policy, audit and state files are never written by a call';
  return [OWN_FOLDER, ...(options.neverWritable ?? []).map((path) => `/${path.replace(/[\\*?[\]!# ]/gu, String.raw`\$&`)}`)].map((pattern) => ({
    rule: { rule: `write(${pattern})`, reason },
    verdict: 'deny',
  }));
}

/** Chooses the mode by precedence: managed settings, then flags, the user and a trusted project. */
function chooseMode(sources: readonly PolicySource[], notices: string[]): { mode: Mode; origin: string } {
  const order = (source: PolicySource): number => LAYERS.indexOf(source.layer);
  let chosen: { mode: Mode; origin: string } | undefined;
  const isTrusted = (source: PolicySource): boolean => source.trusted ?? source.layer !== 'project';
  const trusted = sources.filter(isTrusted).toSorted((a, b) => order(a) - order(b));
  for (const { settings, origin } of trusted) {
    if (settings.mode !== undefined) chosen ??= { mode: settings.mode, origin };
  }
  let result = chosen ?? { mode: DEFAULT_MODE, origin: 'default' };
  for (const source of sources) {
    const { settings, origin } = source;
    if (isTrusted(source) || settings.mode === undefined || settings.mode === result.mode) continue;
    if (isTighterMode(settings.mode, result.mode)) result = { mode: settings.mode, origin };
    else
      notices.push(
        `${origin}: mode "${settings.mode}" is ignored until the folder is trusted with it (synapse projects trust); "${result.mode}" (${result.origin}) stays.`,
      );
  }
  return result;
}

function exclusions(rules: readonly Rule[]): string[] {
  const lines = [...SECRET_PATTERNS];
  const add = (verdict: Verdict, line: (pattern: string) => string): void => {
    for (const rule of rules) if (rule.verdict === verdict && rule.readPattern !== undefined) lines.push(line(rule.readPattern));
  };
  for (const rule of rules) if (rule.verdict === 'allow' && rule.opensGuarded && rule.readPattern !== undefined) lines.push(`!${rule.readPattern}`);
  add('ask', (pattern) => pattern);
  add('deny', (pattern) => pattern);
  return lines;
}

/** Formats a rule for an error. */
function named(source: PolicySource, verdict: Verdict, index: number, rule: RuleSource): string {
  const text = typeof rule === 'string' ? rule : rule.rule;
  return `${source.position?.(verdict, index) ?? source.origin}: ${verdict} rule ${JSON.stringify(text.slice(0, 200))}`;
}

interface ReadSource {
  readonly rules: readonly Rule[];
  readonly broken: readonly BrokenRule[];
  readonly notices: readonly string[];
}

/** Reads the rules of one source. */
function readSource(source: PolicySource, context: RuleContext): ReadSource {
  const { layer, origin, settings } = source;
  // Without this option, a project is not trusted.
  const trusted = source.trusted ?? layer !== 'project';
  // A repository brings such a file, and it is read before anyone trusts it.
  const own: RuleContext = { ...context, steps: { left: MAX_STEPS } };
  const rules: Rule[] = [];
  const broken: BrokenRule[] = [...(source.broken ?? [])];
  const notices: string[] = [];
  for (const verdict of VERDICTS) {
    for (const [index, rule] of (settings[verdict] ?? []).entries()) {
      const text = typeof rule === 'string' ? rule : rule.rule;
      const parsed = parseRule(rule, { verdict, layer, origin }, own);
      if (typeof parsed === 'string')
        broken.push({ verdict, text, problem: `${named(source, verdict, index, rule)}: ${parsed}${parsed.endsWith('?') ? '' : '.'}` });
      else if (verdict === 'allow' && !trusted)
        notices.push(`${origin}: allow rule ${text} is ignored until the folder is trusted with it (synapse projects trust).`);
      else {
        rules.push(parsed);
        if (parsed.broad !== undefined)
          notices.push(
            `${named(source, verdict, index, rule)} allows any code, because ${parsed.broad}. It counts only for commands in the sandbox, and answers no question about the network.`,
          );
      }
    }
  }
  return { rules, broken, notices };
}

/**
 * Compiles a policy from all sources. Rules add up, and the strictest match decides. The mode comes from the source with
 * the highest precedence. Unreadable allow rules of a file are left out. Unreadable deny and ask rules stop changes and
 * commands, because their meaning is unknown.
 *
 * @throws SynapseError `invalid_arguments` that lists every invalid rule from a program
 */
export function compilePolicy(options: PolicyOptions): Policy {
  const problems: string[] = [];
  const unread: string[] = [];
  const unreadable: RuleReference[] = [];
  const notices: string[] = [];
  const rules: Rule[] = [];
  for (const { rule, verdict } of builtIn(options)) {
    const parsed = parseRule(rule, { verdict, layer: 'built-in', origin: 'Synapse' }, options);
    if (typeof parsed === 'string') throw new SynapseError('internal', `A built-in rule is wrong: ${parsed}.`);
    rules.push(parsed);
  }
  for (const source of options.sources) {
    const { mode } = source.settings;
    const read = readSource(source, options);
    rules.push(...read.rules);
    notices.push(...read.notices);
    const wrong = read.broken.map(({ problem }) => problem);
    // Invalid rules in a file do not stop reading. Invalid rules from a program are an error.
    if (source.position === undefined)
      problems.push(...wrong, ...(mode === undefined || MODES.includes(mode) ? [] : [`${source.origin}: unknown mode: "${mode}".`]));
    unread.push(...wrong);
    for (const { verdict, text, problem } of read.broken)
      if (verdict !== 'allow')
        unreadable.push({ text, verdict, layer: source.layer, origin: source.origin, reason: `it cannot be read: ${problem}` });
  }
  if (problems.length > 0) throw policyError(problems);
  const { mode, origin: modeOrigin } = chooseMode(options.sources, notices);
  const of = (verdict: Verdict): Rule[] => rules.filter((rule) => rule.verdict === verdict);
  const [denying, asking, allowing] = [of('deny'), of('ask'), of('allow')];
  return {
    mode,
    modeOrigin,
    rules: [...denying, ...asking, ...allowing],
    denying,
    asking,
    allowing,
    roots: options.roots,
    home: options.home,
    tools: options.tools,
    readExclusions: exclusions(rules),
    deniesResources: denying.some(({ layer, action, pattern }) => layer !== 'built-in' && RESOURCES.has(action) && pattern !== undefined),
    judgesHosts: [...denying, ...asking].some(({ action, pattern }) => action === 'fetch' && pattern !== undefined),
    unreadable,
    problems: unread,
    notices,
    now: options.now ?? Date.now,
  };
}
