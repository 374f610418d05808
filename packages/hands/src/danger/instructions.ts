import { foldBytes } from './protected-places.ts';

/** Prose that agents read as instructions, with the program that reads it. It may be edited; a result mentions it. */
const INSTRUCTIONS: Readonly<Record<string, string>> = {
  'agents.md': 'Codex, opencode and most others',
  'agents.override.md': 'Codex',
  'agent.md': 'Amp, Warp',
  'claude.md': 'Claude Code',
  'claude.local.md': 'Claude Code',
  'gemini.md': 'Gemini CLI',
  'qwen.md': 'Qwen Code',
  'crush.md': 'Crush',
  'warp.md': 'Warp',
  'replit.md': 'Replit',
  'system_prompt.md': 'Synapse, as words of its operator',
  'conventions.md': 'aider',
  '.cursorrules': 'Cursor',
  '.windsurfrules': 'Windsurf',
  '.roorules': 'Roo Code',
  '.goosehints': 'Goose',
  '.continuerules': 'Continue',
  '.rules': 'Zed',
  'copilot-instructions.md': 'Copilot',
};
/** Folders of such prose: `.github/instructions/*.instructions.md`, `.github/prompts/*.prompt.md`. */
const IN_GITHUB = /^\.github\/(?:instructions|prompts|chatmodes)\/[^/]+\.md$/u;

/** Returns the program that reads a file as instructions; undefined if none is known. Paths are latin1: one character per byte. */
export function instructionsFor(path: string): string | undefined {
  const name = foldBytes(path.slice(path.lastIndexOf('/') + 1));
  if (Object.hasOwn(INSTRUCTIONS, name)) return INSTRUCTIONS[name];
  return name.endsWith('.md') && IN_GITHUB.test(path.split('/').map(foldBytes).slice(-3).join('/')) ? 'Copilot' : undefined;
}

/** Describes which of these files agents read as instructions; undefined if there are none. */
export function instructionsNote(paths: readonly string[]): string | undefined {
  const found = [...new Set(paths)].flatMap((path) => {
    const readers = instructionsFor(path);
    return readers === undefined ? [] : [`${path} is read as instructions by ${readers}`];
  });
  return found.length === 0 ? undefined : `${found.slice(0, 3).join('; ')}${found.length > 3 ? `; and ${found.length - 3} more such files` : ''}.`;
}
