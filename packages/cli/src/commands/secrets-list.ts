import { defaultStateFolder, SecretStore } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { shownSecret } from '../output/shown-secret.ts';

export const command = defineCommand({
  details: 'Shows their names, hosts, how they are sent and where they are stored. No command shows a value.',
  options: { json },
  examples: [
    ['synapse secrets', 'all of them'],
    ['synapse secrets --json', 'for a program'],
  ],
  async run({ options, out, err }) {
    const secrets = new SecretStore(defaultStateFolder()).known().map(shownSecret);
    if (options.json) printJson(out, { secrets });
    else if (secrets.length === 0) err.write('No secret is stored: synapse secrets add <name>\n', 'dim');
    else
      out.write(
        columns(secrets.flatMap(({ name, places, added, store }) => places.map(({ host, as }) => [name, host, as, store, added.slice(0, 10)]))),
      );
    return 0;
  },
});
