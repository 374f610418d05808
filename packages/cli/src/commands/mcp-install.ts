import { defaultStateFolder } from '@synapse/hands/internal';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { defineCommand } from '../command/command.ts';
import { flag, rarely, text } from '../command/option.ts';
import { allow, json, optionWords, yes } from '../command/shared-options.ts';
import { track } from '../hands/open-hands.ts';
import { tellNotSandboxed } from '../hands/tell-not-sandboxed.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
import { CLIENTS, type Machine } from '../install/clients.ts';
import { findClient, findFile, findScope } from '../install/find-client.ts';
import { findServer } from '../install/find-server.ts';
import { assertStarts } from '../install/launch-command.ts';
import { leftOn, openInstall } from '../install/open-install.ts';
import { forgets, installFacts, tellEdits, tellNext } from '../install/tell-install.ts';
import { httpOptions, serverOptions } from '../mcp/server-options.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: "Shows the change to the client's files and asks. Comments, other servers and layout stay as they are.",
  notes: 'The client starts the server with the options given here. `synapse help mcp` describes the options that the server starts with.',
  options: {
    client: text('<name>', `the program: ${CLIENTS.join(', ')}`),
    project: flag('in a file of this project (default)', { rare: true }),
    user: flag('in a file of your home folder, for all projects'),
    only: flag("turn the client's own shell, edit and write tools off"),
    http: flag('connect to a running `synapse mcp --http`', { rare: true }),
    undo: flag('remove it again'),
    yes,
    json,
    ...rarely(serverOptions),
    ...rarely({ port: httpOptions.port }),
    allow,
    workspace: { ...serverOptions.workspace, description: 'the project, or with --user the folder to serve', rare: true },
  },
  examples: [
    ['synapse mcp install --client claude-code', 'in .mcp.json of the current folder'],
    ['synapse mcp install --client codex --user --only --allow write,exec', 'for all projects, with no other hands'],
    ['synapse mcp install --client claude-desktop -w ~/project', 'a client that knows no projects'],
    ['synapse mcp install --client claude-code --undo', 'take it out again'],
  ],
  async run(context) {
    const { out, err, signal } = context;
    // The client starts the server in another folder.
    const options = { ...context.options, readable: context.options.readable.map((folder) => resolve(folder)) };
    const { name, client } = findClient(options.client);
    const [scope, files] = findScope(client, options);
    const project = resolve(options.workspace ?? '.');
    const machine: Machine = { platform: process.platform, home: homedir(), environment: process.env };
    const words = optionWords(serverOptions, { ...options, workspace: undefined });
    // For a project, serve the folder of its file.
    const workspace = scope === 'project' ? project : options.workspace;
    const server = options.undo ? undefined : findServer(client, scope, { ...options, workspace, words });
    const wanted = { name, client, scope, server, only: options.only };

    using stack = new DisposableStack();
    const place = { project, stateFolder: defaultStateFolder() };
    const edits = await openInstall(wanted, findFile(files, machine, project), machine, place, stack);
    const report = (done: boolean): void => {
      if (options.json) printJson(out, installFacts({ name, client, scope, server, after: files.after, edits, done }));
    };

    if (!options.json) tellEdits(err, client, edits, server);
    if (!edits.some((edit) => edit.changes)) {
      report(true);
      return 0;
    }
    if (options.json && !options.yes) report(false);
    const no = await confirmOrFail(server === undefined ? 'Take it out?' : 'Write this?', 'nothing was changed', context);
    if (no !== undefined) return no;

    if (server !== undefined) {
      await assertStarts(words, signal);
      if (scope === 'project') track(project, err);
    }
    for (const edit of edits) edit.write();
    report(true);
    if (options.json) return 0;
    if (server === undefined) err.write(`Done. ${forgets(client)}\n`);
    else {
      tellNext(err, client, { scope, server, words, workspace: options.workspace, after: files.after, left: leftOn(wanted) });
      await tellNotSandboxed(options, err);
    }
    return 0;
  },
});
