import type { Source } from './source.ts';

/** Words near a name that is kept for those who still use it. */
const DEPRECATION =
  /deprecat|backwards?[- ]compat|\bback[- ]?compat|\bcompatibility\b|\blegacy (?:alias|name)|\bold name\b|\bremoved in (?:version |v)?\d/iu;
/** Lines around a name in which such a word refers to it. */
const NEAR = 6;

/** Patterns that define a name as another one; `NAME` stands for it. */
const ALIASES = [
  String.raw`^\s*(?:(?:export|public|pub|static|const|let|var|type|using|typealias|val|readonly)\s+)*(?:\w+\.|self\.|@)*NAME\s*(?::[^=]*)?=(?![=>])`,
  String.raw`\bas\s+NAME\b`,
  String.raw`\balias(?:_method)?\s*\(?\s*:?NAME\b`,
  String.raw`["']NAME["']\s*:|\bNAME\s*:\s*\w`,
  String.raw`^\s*#\s*define\s+NAME\b`,
  String.raw`\btypedef\b.*\bNAME\s*;`,
  String.raw`\bdefdelegate\s+NAME\b`,
];

/** Whether a line of a file keeps a removed name on purpose: defines it as another one, or handles it as deprecated. */
export function isKeptOnPurpose(name: string, source: Source | undefined, line: number): boolean {
  if (source === undefined) return false;
  const code = source.code[line - 1] ?? '';
  if (ALIASES.some((alias) => new RegExp(alias.replaceAll('NAME', name.replaceAll('$', String.raw`\$`)), 'u').test(code))) return true;
  return source.lines.slice(Math.max(0, line - 1 - NEAR), line + NEAR).some((near) => DEPRECATION.test(near));
}
