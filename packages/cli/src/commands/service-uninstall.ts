import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { json, yes } from '../command/shared-options.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import { printJson } from '../output/print-json.ts';
import { manage, openServiceFile, placeFor } from '../service/on-service.ts';

export const command = defineCommand({
  details: 'Stops the service and its running calls, and deletes its file. Keeps keys, grants and records.',
  options: { name: text('<session>', 'the name of this machine at the relay'), yes, json },
  examples: [['synapse service uninstall --name laptop', 'asks, then ends it']],
  async run(context) {
    const { options, out, err } = context;
    const place = placeFor(options.name);
    using file = await openServiceFile(place);
    if (file.bytes === undefined)
      throw new SynapseError('not_found', `Service not found: ${place.file}`, { hint: 'Give the --name that it was installed with.' });
    if (!options.json) err.write(`${file.path}\n`, 'bold');
    await confirmOrThrow('End the service and delete this file?', 'nothing was changed', context);
    const ended = await manage(place.stop, err);
    file.delete();
    if (options.json) printJson(out, { file: file.path, ended });
    else
      err.write(
        ended ? 'It has ended, and its file is deleted.\n' : 'Its file is deleted. It may still run until you log out.\n',
        ended ? 'dim' : 'yellow',
      );
    return ended ? 0 : 1;
  },
});
