import * as z from 'zod';
import { parse, type ParseError } from 'jsonc-parser';
import type { Mode } from './modes.ts';
import { parseRule } from './parse-rule.ts';
import type { PermissionSettings } from './policy.ts';
import { readRuleText, type RuleText, type Verdict, VERDICTS } from './rule.ts';

/** A translated Claude Code settings file. */
export interface ClaudeImport {
  readonly permissions: PermissionSettings & Readonly<Record<Verdict, readonly string[]>>;
  /** Entries that cannot be translated, and why. */
  readonly left: ReadonlyArray<{ readonly text: string; readonly reason: string }>;
  /** Notes on translated entries with a narrower or wider meaning than one would expect. */
  readonly notices: readonly string[];
}

const List = z.array(z.unknown()).catch([]);
const Settings = z.object({
  permissions: z
    .object({
      allow: List.optional(),
      ask: List.optional(),
      deny: List.optional(),
      defaultMode: z.unknown().optional(),
      additionalDirectories: List.optional(),
    })
    .catch({})
    .optional(),
});

const MODES: Readonly<Record<string, Mode | undefined>> = { acceptEdits: 'auto-edit', plan: 'read-only' };
/** The default mode in both programs. */
const SAME_MODE = 'default';

/** Writes a rule in Synapse's syntax. A rule whose `*` spans several words stays as it is. */
function inOwnWords({ action, tool, pattern, spans }: RuleText, given: string): string {
  if (action === 'tool') return tool;
  if (pattern === undefined) return action;
  if (spans && /\*/u.test(pattern.replace(/ \*$/u, ''))) return given;
  return `${action}(${action === 'fetch' ? pattern.replace(/^domain:/u, '') : pattern})`;
}

/**
 * Translates the permissions of a Claude Code settings file.
 *
 * @param tools names of the registered tools
 * @returns the translation, or a message about why the file cannot be read
 */
export function importClaudeSettings(text: string, tools: ReadonlySet<string>): ClaudeImport | string {
  const errors: ParseError[] = [];
  const settings = Settings.safeParse(parse(text, errors, { allowTrailingComma: true }));
  if (errors.length > 0 || !settings.success) return 'it is not a JSON object';
  const given = settings.data.permissions ?? {};
  const left: Array<{ text: string; reason: string }> = [];
  const notices: string[] = [];
  const rulesOf = (verdict: Verdict): string[] =>
    (given[verdict] ?? []).flatMap((rule) => {
      if (typeof rule !== 'string') {
        left.push({ text: JSON.stringify(rule).slice(0, 200), reason: 'it is no text' });
        return [];
      }
      const read = readRuleText(rule, tools);
      const own = typeof read === 'string' ? rule : inOwnWords(read, rule);
      const parsed =
        typeof read === 'string' ? read : parseRule(own, { verdict, layer: 'project', origin: 'import' }, { tools, home: '/', roots: ['/'] });
      if (typeof parsed === 'string') {
        left.push({ text: rule, reason: parsed });
        return [];
      }
      if (parsed.broad !== undefined) notices.push(`${own} allows any code, because ${parsed.broad}. It counts only for commands in the sandbox.`);
      return [own];
    });
  const unique = (verdict: Verdict): string[] => [...new Set(rulesOf(verdict))];
  const [allow, ask, deny] = VERDICTS.map(unique);
  const { defaultMode: mode } = given;
  const own = typeof mode === 'string' && Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (mode !== undefined && mode !== SAME_MODE && own === undefined)
    left.push({ text: `defaultMode ${JSON.stringify(mode)}`, reason: 'no mode of Synapse is like it; see `synapse policy`' });
  for (const folder of given.additionalDirectories ?? [])
    left.push({ text: `additionalDirectories ${JSON.stringify(folder)}`, reason: 'folders outside are named when Synapse starts: --readable' });
  return { permissions: { allow: allow ?? [], ask: ask ?? [], deny: deny ?? [], ...(own === undefined ? {} : { mode: own }) }, left, notices };
}
