import type { CompletedCommand, Described } from './completion-words.ts';

/** Text in single quotes, for any of the shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const plain = (words: readonly Described[]): string => words.map(({ word }) => word).join(' ');
const flagsOf = ({ flags }: CompletedCommand): readonly Described[] => [...flags, { word: '--help', summary: 'show the help' }];

function bash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map((command) => {
    const values = command.flags.filter(({ takesValue }) => takesValue);
    return `    ${quoted(command.name)}) below=${quoted(plain(command.below))} flags=${quoted(plain(flagsOf(command)))} valued=${quoted(plain(values))} ;;`;
  });
  return `# bash completion of synapse. Load it with: source <(synapse completion bash)
_synapse() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' below='' flags='' valued='' at
  _synapse_words() {
    case "$1" in
${cases.map((line) => `  ${line}`).join('\n')}
      *) return 1 ;;
    esac
  }
  for ((at = 1; at < COMP_CWORD; at++)); do
    _synapse_words "\${command:+$command }\${COMP_WORDS[at]}" && command="\${command:+$command }\${COMP_WORDS[at]}"
  done
  _synapse_words "$command"
  COMPREPLY=()
  if [[ " $valued " == *" $previous "* ]]; then
    compopt -o default 2>/dev/null
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$below" -- "$word"))
    ((\${#COMPREPLY[@]})) || compopt -o default 2>/dev/null
  fi
}
complete -F _synapse synapse
`;
}

/** A colon ends the word in a _describe list. */
const described = (words: readonly Described[]): string =>
  words.map(({ word, summary }) => quoted(`${word.replaceAll(':', '\\:')}:${summary}`)).join(' ');

function zsh(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    (command) => `    ${quoted(command.name)}) below=(${described(command.below)}) flags=(${described(flagsOf(command))}) ;;`,
  );
  return `#compdef synapse
# zsh completion of synapse. Write it to a folder of $fpath as _synapse, or load it with: source <(synapse completion zsh)
_synapse_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_synapse() {
  local command='' at
  local -a below flags
  for ((at = 2; at < CURRENT; at++)); do
    _synapse_words "\${command:+$command }\${words[at]}" && command="\${command:+$command }\${words[at]}"
  done
  _synapse_words "$command"
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe 'option' flags
  elif ((\${#below})); then
    _describe 'command' below
  else
    _files
  fi
}
(($+functions[compdef])) && compdef _synapse synapse
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const words = command.name.split(' ').filter((word) => word !== '');
    const names = plain(command.below);
    const reached = words.length === 0 ? '__fish_use_subcommand' : words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const open = words.length === 0 || names === '' ? reached : `${reached}; and not __fish_seen_subcommand_from ${names}`;
    return [
      ...command.below.map(({ word, summary }) => `complete -c synapse -f -n ${quoted(open)} -a ${word} -d ${quoted(summary)}`),
      ...command.flags.map(
        ({ word, summary, takesValue }) =>
          `complete -c synapse -n ${quoted(reached)} -l ${word.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(summary)}`,
      ),
    ];
  });
  return `# fish completion of synapse. Load it with: synapse completion fish | source\n${lines.join('\n')}\n`;
}

/** The completion script of each shell, by the shell's name. */
export const COMPLETION_SCRIPTS = { bash, zsh, fish } as const satisfies Record<string, (commands: readonly CompletedCommand[]) => string>;
