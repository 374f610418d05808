import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { COMPLETION_SCRIPTS } from '../completion/completion-scripts.ts';
import { completionWords } from '../completion/completion-words.ts';

const SHELLS = Object.keys(COMPLETION_SCRIPTS);

export const command = defineCommand({
  details: 'Prints a script that completes commands and options with the Tab key.',
  arguments: { '<shell>': SHELLS.join(', ') },
  examples: [
    ['source <(synapse completion bash)', 'for this shell; put it in ~/.bashrc for all'],
    ['synapse completion zsh > ~/.zfunc/_synapse', 'if ~/.zfunc is in $fpath'],
    ['synapse completion fish > ~/.config/fish/completions/synapse.fish', 'for all fish shells'],
  ],
  async run({ arguments: { shell }, out, commands = [] }) {
    const script = Object.entries(COMPLETION_SCRIPTS).find(([name]) => name === shell)?.[1];
    if (script === undefined) {
      throw new SynapseError('invalid_arguments', `Unknown shell: ${shell.slice(0, 40)}`, { hint: `Shells: ${SHELLS.join(', ')}` });
    }
    out.write(script(await completionWords(commands)));
    return 0;
  },
});
