import { fingerprint } from '@synapse/protocol/remote';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { openRelayAdmin, ownerOptions } from '../remote/relay-folder.ts';
import { inLine } from '../output/visible-text.ts';

export const command = defineCommand({
  options: { ...ownerOptions, json },
  examples: [['synapse relay machines', 'with their fingerprints']],
  async run({ options, out }) {
    const machines = await (await openRelayAdmin(options)).machines();
    if (options.json) printJson(out, { machines });
    else if (machines.length === 0) out.write('No machine may use this relay.\n');
    else for (const { name, identity } of machines) out.write(`${inLine(name)}  ${fingerprint(identity)}\n`);
    return 0;
  },
});
