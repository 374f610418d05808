import { expect, it } from 'vitest';
import { CANONICAL_TOOLS } from '@synapse/hands/tools';
import { sourcesOf } from './sources.ts';

/** Not tools that a brain is offered, but tools all the same. */
const OTHERS = ['undo', 'apply_changes', 'mcp_search', 'mcp_call'];
/** A word for other things, too: only a comparison of a name or a tool decides by it. */
const WORD = 'code';
const NAMES = [...CANONICAL_TOOLS.map(({ name }) => name).filter((name) => name !== WORD), ...OTHERS].join('|');
/** A decision by the name of a tool: a comparison, a case, a look into a set. */
const DECISION = new RegExp(`[=!]==? '(?:${NAMES})'|'(?:${NAMES})' [=!]==?|case '(?:${NAMES})'|\\.(?:has|includes)\\('(?:${NAMES})'\\)`, 'u');
const DECISION_BY_WORD = new RegExp(`(?:name|tool)\\b\\)? [=!]==? '${WORD}'|'${WORD}' [=!]==? .*(?:name|tool)\\b`, 'iu');

/** Lines that decide by a tool's name, but for those in JSDoc. */
function decisions(text: string): string[] {
  return text.split('\n').filter((line) => (DECISION.test(line) || DECISION_BY_WORD.test(line)) && !/^\s*\*/u.test(line));
}

it.each(['hands', 'mcp-server', 'remote', 'cli'])('no file of %s but a tool decides by the name of a tool', (name) => {
  const found = [...sourcesOf(name)]
    .filter(([file]) => !file.startsWith('tools/'))
    .flatMap(([file, text]) => decisions(text).map((line) => `${file}: ${line.trim()}`));
  expect(found, 'declare a property of the tool instead').toEqual([]);
});

it.each([
  "if (tool.name === 'run_command') {",
  "  case 'undo':",
  "if ('job' !== name)",
  "if (NAMES.has('read_file')) {",
  "tool.name === 'code'",
  "if ('code' !== toolName)",
])('sees %s', (line) => {
  expect(decisions(line)).toEqual([line]);
});

it.each(["call('read_file', input)", " * if (tool === 'run_command')", "const tool = 'undo';"])('lets %s be', (line) => {
  expect(decisions(line)).toEqual([]);
});
