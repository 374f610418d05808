import { sessionUrl } from '@synapse/remote';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { handsOptions, json, optionWords, yes } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import type { Output } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { visibleText } from '../output/visible-text.ts';
import { RELAY_PORT } from '../remote/remote-options.ts';
import { chosenProjects, projectOptions } from '../remote/chosen-projects.ts';
import { handsPairing, projectsPairing } from '../remote/hands-pairing.ts';
import { manage, openServiceFile, openUrl, placeFor, placeVariables } from '../service/on-service.ts';

function tellDefinition(err: Output, { path, bytes }: { readonly path: string; readonly bytes: Buffer | undefined }, definition: string): void {
  err.write(`${path}${bytes === undefined ? ' (new)' : ''}\n`, 'bold');
  err.write(visibleText(definition));
}

export const command = defineCommand({
  details: 'Shows the file and asks. The service runs as you, starts at login, and takes the options given here. It holds no key.',
  notes:
    'A user unit of systemd, or a launch agent of macOS. A service cannot ask: what --allow does not permit is refused, or approved by a paired approver.',
  arguments: { '[url]': `of the relay (default: ws://127.0.0.1:${RELAY_PORT})` },
  options: { ...handsOptions, ...projectOptions, name: text('<session>', 'the name of this machine at the relay'), yes, json },
  examples: [['synapse service install wss://relay.example --name laptop --allow write', 'for the current folder']],
  async run(context) {
    const { options, out, err } = context;
    const relay = openUrl(context.arguments.url ?? `ws://127.0.0.1:${RELAY_PORT}`);
    const place = placeFor(options.name);
    const session = options.name ?? '';
    // Report now what would make the service fail later.
    const url = sessionUrl(relay, session);
    const chosen = chosenProjects({ ...options, name: session }, err);
    let workspace: string | undefined;
    if (chosen === undefined) {
      const hands = await openHands(options, context);
      workspace = hands.workspace;
      await hands[Symbol.asyncDispose]();
      await handsPairing(url, session, workspace);
    } else await projectsPairing(url, session, chosen);
    const project = options.all ? [] : (chosen?.roots() ?? []);
    const words = optionWords(
      { ...handsOptions, ...projectOptions },
      { ...options, workspace, project, readable: options.readable.map((folder) => resolve(folder)) },
    );
    const program = [process.execPath, fileURLToPath(new URL('../../bin/synapse.js', import.meta.url))];
    const definition = place.render({
      session,
      command: [...program, 'connect', relay, '--name', session, ...words],
      environment: placeVariables(process.env),
    });
    using file = await openServiceFile(place);
    const isSame = file.bytes?.toString('utf8') === definition;
    if (!options.json) tellDefinition(err, file, definition);
    if (!isSame) {
      await confirmOrThrow('Write this, and start it?', 'nothing was written', context);
      // A running service would keep its old options.
      if (file.bytes !== undefined) await manage(place.stop, err);
      file.write(Buffer.from(definition), 0o600);
    }
    const started = await manage(place.start, err);
    if (options.json) printJson(out, { file: file.path, definition, written: !isSame, started });
    else if (started) err.write(`It runs. See how it is: synapse connect --status\n${place.note}\n`, 'dim');
    else err.write(`The file is written; the service was not started. ${place.help} Then run this command again.\n`, 'yellow');
    return started ? 0 : 1;
  },
});
