import { defaultStateFolder, indexLines, openRoot, openSingleFile, unifiedDiff, type SingleFile } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { optionWords } from '../command/option-words.ts';
import { flag, rarely, text, type OptionValues } from '../command/option.ts';
import { allow, json, yes } from '../command/shared-options.ts';
import { declined } from '../declined.ts';
import { CLIENTS, type ClientDefinition, type Scope, type ServerCommand } from '../install/clients.ts';
import type { EntryFormat } from '../install/entry-format.ts';
import { findClient, findFile, findScope } from '../install/find-client.ts';
import { openInstallRecord } from '../install/install-records.ts';
import { assertLiteral, assertStarts, launchCommand } from '../install/launch-command.ts';
import { planInstall, planRemoval, type InstallPlan } from '../install/plan-install.ts';
import { changeBetween } from '../install/taken-back.ts';
import { serverOptions } from '../mcp/server-options.ts';
import { printJson } from '../print-json.ts';
import { tellNotSandboxed } from '../tell-not-sandboxed.ts';

const MARK = '\ufeff';

/** What a plan does, in a person's words. */
const TOLD: Record<InstallPlan['status'], (title: string) => string> = {
  install: (title) => `${title} is to be told of the server`,
  update: (title) => `${title} knows a server of this name; it is to be replaced`,
  remove: (title) => `The server is to be taken out of the configuration of ${title}`,
  unchanged: (title) => `${title} has the server already; there is nothing to do`,
  absent: (title) => `${title} has no such server; there is nothing to do`,
};

async function formatOf({ format }: ClientDefinition, file: string): Promise<EntryFormat> {
  if (format === 'toml') return (await import('../install/toml-format.ts')).tomlFormat(file);
  return (await import('../install/json-format.ts')).jsonFormat(file, format === 'jsonc');
}

/** The text of a file; of one that is not there, nothing. */
function textOf({ bytes, path }: SingleFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw new SynapseError('encoding', `${path} is not UTF-8, so it cannot be changed safely. Nothing was changed.`, { hint: 'Save it as UTF-8.' });
  }
}

function serverFor(client: ClientDefinition, scope: Scope, options: OptionValues<typeof serverOptions>): ServerCommand {
  if (scope === 'user' && options.workspace === undefined && !client.startsInProject) {
    throw new SynapseError('invalid_arguments', `${client.title} does not start servers in the folder that it has open.`, {
      hint: 'Name the folder to serve with --workspace.',
    });
  }
  const folder = scope === 'user' ? options.workspace : (options.workspace ?? '.');
  const workspace = folder === undefined ? undefined : resolve(folder);
  // The trial of the server has a workspace of its own: this one would fail only where nobody looks.
  if (workspace !== undefined) openRoot(workspace, defaultStateFolder()).confinement[Symbol.dispose]();
  const server = launchCommand(optionWords(serverOptions, { ...options, workspace }));
  assertLiteral(client, server);
  return server;
}

const forgets = ({ title }: ClientDefinition): string => `${title} forgets the server when it starts again.`;

function diffOf(before: string, after: string): string {
  const { offset, removed, inserted } = changeBetween(before, after);
  return unifiedDiff(before, indexLines(before), [{ start: offset, end: offset + removed.length, text: inserted }]);
}

/** Who says yes sees all of the command: of a file in one line the diff shows the beginning only. */
function commandBeyond(diff: string, { command, words }: ServerCommand): string {
  const all = [command, ...words];
  return all.every((word) => diff.includes(JSON.stringify(word))) ? '' : `It starts: ${all.map((word) => JSON.stringify(word)).join(' ')}\n`;
}

interface Installed {
  readonly scope: Scope;
  /** Whether the folder to serve was named. */
  readonly named: boolean;
  readonly after: string;
}

function tellNext(err: CommandIo['err'], client: ClientDefinition, { scope, named, after }: Installed): void {
  err.write(`Done. ${after}\n`);
  if (scope === 'project') err.write('The entry names places of this machine; others who share the project need their own.\n', 'dim');
  else if (!named) {
    err.write(`It serves the folder that ${client.title} has open, where that is a tracked project (synapse projects add).\n`, 'dim');
  }
}

export const command = defineCommand({
  details:
    "Shows the change to the client's file and asks. Comments, other servers and layout stay as they are. " +
    'The client starts the server with the options given here.',
  notes: '`synapse help mcp` describes the options that the server starts with.',
  options: {
    client: text('<name>', `the program: ${CLIENTS.join(', ')}`),
    project: flag('in a file of this project (default, where the client has one)'),
    user: flag('in a file of your home folder, for all projects'),
    undo: flag('take the entry out again'),
    yes,
    json,
    ...rarely(serverOptions),
    allow,
    workspace: { ...serverOptions.workspace, description: 'the project, or with --user the folder to serve' },
  },
  examples: [
    ['synapse mcp install --client claude-code', 'in .mcp.json of the current folder'],
    ['synapse mcp install --client codex --user --allow write,exec', 'for all projects, in ~/.codex/config.toml'],
    ['synapse mcp install --client claude-desktop -w ~/project', 'a client that knows no projects'],
    ['synapse mcp install --client claude-code --undo', 'take it out again'],
  ],
  async run(context) {
    const { out, err, signal } = context;
    // The client starts the server elsewhere than here.
    const options = { ...context.options, readable: context.options.readable.map((folder) => resolve(folder)) };
    const client = findClient(options.client);
    const [scope, place] = findScope(client, options);
    const project = resolve(options.workspace ?? '.');
    const named = findFile(place, { platform: process.platform, home: homedir(), environment: process.env }, project);
    const server = options.undo ? undefined : serverFor(client, scope, options);
    const stateFolder = defaultStateFolder();
    using file = await openSingleFile(named, scope === 'project' ? { folder: project, stateFolder } : undefined);
    using kept = await openInstallRecord(stateFolder, file.path);
    const whole = textOf(file);
    const mark = whole.startsWith(MARK) ? MARK : '';
    const text = whole.slice(mark.length);
    const input = { client, format: await formatOf(client, file.path), text, record: kept.record };
    const plan = server === undefined ? planRemoval(input) : planInstall(input, server);
    const changes = plan.after !== text;
    const deletes = plan.status === 'remove' && plan.after.trim() === '' && kept.record?.created === true;

    const report = (done: boolean): void => {
      const { status } = plan;
      const facts = {
        client: options.client,
        scope,
        file: file.path,
        linked: file.linked,
        status,
        done,
        diff: diffOf(text, plan.after),
        server,
        after: server === undefined ? forgets(client) : place.after,
      };
      if (options.json) printJson(out, facts);
    };
    if (!options.json) {
      err.write(`${TOLD[plan.status](client.title)}.\n`);
      err.write(
        `${file.path}${file.linked ? `, which ${named} is a link to` : ''}${file.bytes === undefined ? (changes ? ' (new)' : ' (not there)') : ''}\n`,
        'bold',
      );
      const diff = changes ? diffOf(text, plan.after) : '';
      if (changes) err.write(`${diff}\n`);
      if (changes && server !== undefined) err.write(commandBeyond(diff, server));
      if (deletes) err.write('Nothing is left in the file, which was made for the server: it is deleted.\n');
    }
    if (!changes) {
      report(true);
      return 0;
    }
    if (options.json && !options.yes) report(false);
    const no = await declined(server === undefined ? 'Take it out?' : 'Write this?', 'nothing was changed', context);
    if (no !== undefined) return no;

    if (server === undefined) {
      if (deletes) file.delete(kept.record?.folders);
      else file.write(Buffer.from(mark + plan.after));
      kept.forget();
    } else {
      await assertStarts(optionWords(serverOptions, { ...options, workspace: undefined }), signal);
      const isNew = file.bytes === undefined;
      const ours = kept.record?.created === true && plan.original === '';
      kept.keep({
        change: changeBetween(plan.original, plan.after),
        created: isNew || ours,
        folders: isNew ? file.missingFolders : (kept.record?.folders ?? 0),
      });
      file.write(Buffer.from(mark + plan.after));
    }
    report(true);
    if (!options.json) {
      if (server === undefined) err.write(`Done. ${forgets(client)}\n`);
      else {
        tellNext(err, client, { scope, named: options.workspace !== undefined, after: place.after });
        await tellNotSandboxed(options, err);
      }
    }
    return 0;
  },
});
