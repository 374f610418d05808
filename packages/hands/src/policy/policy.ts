import { SynapseError } from '@synapse/protocol';
import { SECRET_PATTERNS } from './guarded-paths.ts';
import { DEFAULT_MODE, isTighterMode, MODES, type Mode } from './modes.ts';
import { policyError } from './policy-error.ts';
import { parseRule, type RuleContext } from './parse-rule.ts';
import { LAYERS, type Layer, type Rule, type RuleSource } from './rule.ts';
import { VERDICTS, type Verdict } from './verdict.ts';

/** The `permissions` of one place. */
export interface PermissionSettings {
  readonly mode?: Mode;
  readonly allow?: readonly RuleSource[];
  readonly ask?: readonly RuleSource[];
  readonly deny?: readonly RuleSource[];
}

/** One place that says something about permissions. */
export interface PolicySource {
  readonly layer: Exclude<Layer, 'built-in'>;
  /** A file, or another word for a person. */
  readonly origin: string;
  readonly settings: PermissionSettings;
  /** For the project: whether a person trusts its folder. Until then it can only tighten. Default: false for the project, true elsewhere. */
  readonly trusted?: boolean;
  /** Where a rule stands in its file, as `file:line:column`. */
  position?(verdict: Verdict, index: number): string;
}

/** What a policy is made for. */
export interface PolicyOptions extends RuleContext {
  readonly sources: readonly PolicySource[];
  /** Absolute paths that no call may ever change: configuration, state, audit. */
  readonly neverWritable?: readonly string[];
  /** The clock that grants expire by. */
  readonly now?: () => number;
}

/** Rules that are ready to judge calls. Immutable: a grant or a reload makes a new one. */
export interface Policy {
  readonly mode: Mode;
  /** Where the mode was set. */
  readonly modeOrigin: string;
  /** All rules, the strictest first. */
  readonly rules: readonly Rule[];
  readonly denying: readonly Rule[];
  readonly asking: readonly Rule[];
  readonly allowing: readonly Rule[];
  readonly roots: readonly string[];
  readonly home: string;
  readonly tools: ReadonlySet<string>;
  /** Gitignore lines of what searches must leave out, in order; a later line overrules an earlier one. */
  readonly readExclusions: readonly string[];
  /** Whether a person denies files or hosts, so that what is not understood may be just that. */
  readonly deniesResources: boolean;
  /** Whether a person denies hosts or is asked about them. */
  readonly judgesHosts: boolean;
  /** What was ignored, and why. */
  readonly notices: readonly string[];
  readonly now: () => number;
}

/** The folder that a project keeps its own policy in: its rules must not be rewritten by those they bind. */
const OWN_FOLDER = '.synapse/';

function builtIn(options: PolicyOptions): Array<{ rule: RuleSource; verdict: Verdict }> {
  const reason = 'policy, audit and state files are never written by a call';
  return [OWN_FOLDER, ...(options.neverWritable ?? []).map((path) => `/${path.replace(/[\\*?[\]!# ]/gu, String.raw`\$&`)}`)].map((pattern) => ({
    rule: { rule: `write_file(${pattern})`, reason },
    verdict: 'deny',
  }));
}

/** Managed settings count most, then flags, the user and a trusted project. */
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

/**
 * Makes a policy of what all places say. Rules add up, and the strictest that matches decides; only the mode
 * is chosen from the mightiest place.
 *
 * @throws SynapseError `invalid_arguments` that lists every rule that is wrong, with its place
 */
export function compilePolicy(options: PolicyOptions): Policy {
  const problems: string[] = [];
  const notices: string[] = [];
  const rules: Rule[] = [];
  for (const { rule, verdict } of builtIn(options)) {
    const parsed = parseRule(rule, { verdict, layer: 'built-in', origin: 'Synapse' }, options);
    if (typeof parsed === 'string') throw new SynapseError('internal', `A built-in rule is wrong: ${parsed}.`);
    rules.push(parsed);
  }
  for (const source of options.sources) {
    const { layer, origin, settings } = source;
    // Nobody trusts a project by leaving something out.
    const trusted = source.trusted ?? layer !== 'project';
    if (settings.mode !== undefined && !MODES.includes(settings.mode)) problems.push(`${origin}: there is no mode "${settings.mode}".`);
    for (const verdict of VERDICTS) {
      for (const [index, rule] of (settings[verdict] ?? []).entries()) {
        const text = typeof rule === 'string' ? rule : rule.rule;
        const parsed = parseRule(rule, { verdict, layer, origin }, options);
        if (typeof parsed === 'string')
          problems.push(
            `${source.position?.(verdict, index) ?? origin}: ${verdict} rule ${JSON.stringify(text.slice(0, 200))}: ${parsed}${parsed.endsWith('?') ? '' : '.'}`,
          );
        else if (verdict === 'allow' && !trusted)
          notices.push(`${origin}: allow rule ${text} is ignored until the folder is trusted with it (synapse projects trust).`);
        else rules.push(parsed);
      }
    }
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
    deniesResources: denying.some(
      (rule) => rule.layer !== 'built-in' && /^(?:read_file|write_file|edit_file|apply_patch|delete_\w+|fetch_url)\(/u.test(rule.text),
    ),
    judgesHosts: [...denying, ...asking].some((rule) => rule.text.startsWith('fetch_url(')),
    notices,
    now: options.now ?? Date.now,
  };
}
