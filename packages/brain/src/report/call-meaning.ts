import { DIALECTS } from '@synapse/hands/dialects';

/** Maps a tool of a dialect to the built-in tool that does most of its work, such as `Read` to `read_file`. */
const BUILT_IN = new Map(DIALECTS.flatMap(({ tools }) => tools.map(({ name, uses }) => [name, uses[0] ?? name] as const)));

/** Maps the first words of a shell command to the equivalent tool. Models with a shell explore with commands. */
const PROGRAMS: ReadonlyArray<readonly [words: RegExp, tool: string]> = [
  [/^git\s+(?:-C\s+\S+\s+|--no-pager\s+)*(?:status)\b/u, 'git_status'],
  [/^git\s+(?:-C\s+\S+\s+|--no-pager\s+)*(?:log|shortlog|reflog)\b/u, 'git_log'],
  [/^git\s+(?:-C\s+\S+\s+|--no-pager\s+)*(?:diff)\b/u, 'git_diff'],
  [/^git\s+(?:-C\s+\S+\s+|--no-pager\s+)*(?:show)\b/u, 'git_show'],
  [/^git\s+(?:-C\s+\S+\s+|--no-pager\s+)*(?:blame)\b/u, 'git_blame'],
  [/^(?:ls|tree|eza)(?:\s|$)/u, 'list_directory'],
  [/^(?:find|fd|rg\s+--files|git\s+ls-files)(?:\s|$)/u, 'find_files'],
  [/^(?:rg|grep|egrep|git\s+grep)\s/u, 'search_text'],
  [/^(?:cat|bat|head|tail|less|nl|sed\s+-n)\s/u, 'read_file'],
];

/** Separates the commands of a line. Ignores quotes, because the result is only used to display steps and check reports. */
const COMMAND_END = /&&|\|\||[;|\n]/u;

function commandOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const command = 'command' in input ? input.command : 'cmd' in input ? input.cmd : '';
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string').join(' ');
  return typeof command === 'string' ? command : '';
}

/** Returns the exploring commands of a line, each with its equivalent tool. */
function looks(input: unknown): { readonly command: string; readonly tool: string }[] {
  return commandOf(input)
    .split(COMMAND_END)
    .flatMap((part) => {
      const command = part.trim();
      const found = PROGRAMS.find(([words]) => words.test(command));
      return found === undefined ? [] : [{ command, tool: found[1] }];
    });
}

/**
 * Returns the tools that a call is equivalent to, under Synapse's own names: for a tool of a dialect the built-in one,
 * for a command also those of its programs. `Bash` with `git log | head` is `run_command` and `git_log`.
 */
export function toolsMeant(name: string, input: unknown): ReadonlySet<string> {
  return new Set([name, BUILT_IN.get(name) ?? name, ...looks(input).map(({ tool }) => tool)]);
}

/** Returns the words of a command that may be files it reads: those of `cat a b`, but not those of `echo a`. */
export function filesLookedAt(input: unknown): string[] {
  return looks(input)
    .filter(({ tool }) => tool !== 'list_directory' && tool !== 'find_files')
    .flatMap(({ command }) => command.split(/\s+/u).slice(1))
    .map((word) => word.replaceAll(/["']/gu, ''))
    .filter((word) => word !== '' && !word.startsWith('-'));
}
