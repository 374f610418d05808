import { defaultStateFolder, receiptKey } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'The public half of the key that signs the receipts of this machine. It is made at the first use; the private half never leaves its file.',
  options: { json },
  examples: [['synapse receipt key', 'for those who verify the receipts elsewhere']],
  async run({ options, out }) {
    const key = receiptKey(defaultStateFolder()).public;
    if (options.json) printJson(out, { key });
    else out.write(`${key}\n`);
    return 0;
  },
});
