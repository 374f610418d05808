import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { connectFarAway } from '../remote/open-far-hands.ts';

export const command = defineCommand({
  details: 'Lists the workspaces of a machine that this device may use, by name. A name after the session chooses one: --remote wss://…#laptop/web',
  arguments: { '<url>': 'the session: ws://host:port#session' },
  options: { json },
  examples: [['synapse pair workspaces wss://relay.example#laptop', 'the workspaces there']],
  async run({ arguments: { url }, options, out, err, signal }) {
    await using hands = await connectFarAway(url, { err });
    const workspaces = await hands.workspaces({ signal });
    if (options.json) printJson(out, { workspaces });
    else for (const name of workspaces) out.write(`${inLine(name)}\n`);
    return 0;
  },
});
