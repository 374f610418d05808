import type { Attribution } from './attribution.ts';

/** Characters that a YAML parser, a terminal or a reader could mistake for something other than text. */
const SPECIAL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;

/** Formats a text as a YAML double-quoted scalar, which is nearly a JSON string. No content can end the scalar or the line. */
function yamlText(text: string): string {
  return JSON.stringify(text).replace(SPECIAL, (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`);
}

/** Formats the YAML front matter of a report. */
export function frontMatter(attribution: Attribution): string {
  const { files_read: files, tool_calls: calls, confidence } = attribution;
  return [
    '---',
    'attribution:',
    files.length === 0 ? '  files_read: []' : '  files_read:',
    ...files.map((path) => `    - ${yamlText(path)}`),
    Object.keys(calls).length === 0 ? '  tool_calls: {}' : '  tool_calls:',
    ...Object.entries(calls).map(([name, count]) => `    ${yamlText(name)}: ${count}`),
    `  confidence: ${confidence}`,
    '---',
  ].join('\n');
}
