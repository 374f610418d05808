import { SynapseError } from '@synapse/protocol';
import { fingerprint } from '@synapse/protocol/remote';
import { PairedDevices, type ProjectGrant } from '@synapse/remote';
import { setTimeout as wait } from 'node:timers/promises';
import { defineCommand } from '../command/command.ts';
import { flag, parsed, text, type OptionValues } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { trackedRoot, workspaceRoot } from '../hands/workspace-root.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { checkApprovedTools } from '../remote/approved-tools.ts';
import { grantLine } from '../remote/grant-lines.ts';
import { DAY_MS, grantOptions, NOTICED_MS } from '../remote/grant-options.ts';
import { namedDevice } from '../remote/named-device.ts';
import { remoteFolder } from '../remote/remote-folder.ts';
import { tellEnded } from '../remote/tell-ended.ts';

const PORTS = {
  expects: 'own, all, or none',
  parse: (given: string): 'own' | 'all' | 'none' | undefined => (given === 'own' || given === 'all' || given === 'none' ? given : undefined),
};

const options = {
  workspace: { ...workspace, description: 'the folder of the grant to make, change or remove' },
  tools: { ...grantOptions.tools, description: 'what the device may call there' },
  approves: { ...grantOptions.approves, description: 'tools whose calls it may approve itself; none ends that' },
  ports: parsed('<own|all|none>', 'jobs whose ports it may reach', PORTS),
  maxRunning: grantOptions.maxRunning,
  expires: grantOptions.expires,
  session: text('<session>', 'the name of this machine at the relay, if the device has several', { rare: true }),
  remove: flag('end the grant in that folder'),
  json,
} as const;

type Given = OptionValues<typeof options>;

/** The grant of a device that a new one takes after. @throws SynapseError if it is not clear which session is meant */
function firstOf(own: readonly ProjectGrant[], session: string | undefined): ProjectGrant {
  const sessions = [...new Set(own.map((one) => one.session))];
  const meant = session ?? (sessions.length === 1 ? sessions[0] : undefined);
  const found = own.filter((one) => one.session === meant);
  const first = found.find(({ home }) => home) ?? found[0];
  if (first !== undefined) return first;
  throw new SynapseError('invalid_arguments', 'The device has no grant in that session.', { hint: `Give --session: ${sessions.join(', ')}.` });
}

/** The grant with what the options change. A new one has the tools and limits of the first one; ports and approvals are given for each. */
function changed(known: ProjectGrant | undefined, first: ProjectGrant, root: string, given: Given): ProjectGrant {
  const { ports: _ports, project: _project, ...rest } = first;
  const grant: ProjectGrant = known ?? { ...rest, approves: [], workspace: root, home: false };
  const { ports: before, ...others } = grant;
  const ports = given.ports ?? before;
  return {
    ...others,
    ...(given.tools.length === 0 ? {} : { tools: [...given.tools] }),
    ...(given.approves.length === 0 ? {} : { approves: given.approves.join() === 'none' ? [] : [...checkApprovedTools(given.approves)] }),
    ...(given.maxRunning === undefined ? {} : { maxRunning: given.maxRunning }),
    ...(given.expires === undefined ? {} : { expires: Date.now() + given.expires * DAY_MS }),
    ...(ports === undefined || ports === 'none' ? {} : { ports }),
  };
}

/** Whether the options change something. */
const changesGrants = ({ workspace: folder, json: _json, session: _session, ...rest }: Given): boolean =>
  folder !== undefined ||
  rest.remove ||
  Object.values(rest).some((value) => (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false));

export const command = defineCommand({
  details:
    'Shows what paired devices may do in each folder. With --workspace, a device gets a further folder, or its grant there changes, ' +
    'at once and without a code. A machine serves them together with synapse connect --all.',
  notes: 'A further folder has the tools, limits and last day of the first one. Ports and approvals are given for each folder.',
  arguments: { '[device]': 'its name, or the beginning of its fingerprint (default: all, to show)' },
  options,
  examples: [
    ['synapse pair grants', 'each device, folder by folder'],
    ['synapse pair grants away --workspace ~/web --tools read_file,search_text', 'a further folder, to read'],
    ['synapse pair grants away --workspace ~/web --remove', 'what runs there ends'],
  ],
  async run({ arguments: { device }, options: given, out, err }) {
    const folder = remoteFolder();
    const paired = new PairedDevices(folder);
    const all = paired.list();
    const meant = device === undefined ? undefined : namedDevice(all, device, 'paired device', 'synapse pair list');
    const own = all.filter(({ identity }) => meant === undefined || identity === meant);
    if (!changesGrants(given)) return show(own, given.json, out);
    if (meant === undefined || given.workspace === undefined)
      throw new SynapseError('invalid_arguments', 'No device or no folder named.', { hint: 'As in synapse pair grants away --workspace ~/web' });
    const first = firstOf(own, given.session);
    const root = given.remove ? workspaceRoot(given.workspace) : trackedRoot(given.workspace, err);
    const isHere = (one: ProjectGrant): boolean => one.identity === meant && one.session === first.session && one.workspace === root;
    if (given.remove) {
      const since = Date.now();
      const removed = paired.revoke(isHere);
      if (removed.length === 0)
        throw new SynapseError('not_found', `The device has no grant in ${root}.`, { hint: 'List them: synapse pair grants' });
      err.write(`Removed: ${removed.map(({ project }) => inLine(project)).join(', ')}\n`);
      await tellEnded(meant, removed, since, err);
      return 0;
    }
    // Keys that are in the folder could be read by its tools.
    remoteFolder(root);
    paired.add(changed(own.find(isHere), first, root, given));
    // A connected machine has noticed it then.
    await wait(NOTICED_MS);
    const made = paired.list().filter(isHere);
    if (given.json) return show(made, true, out);
    for (const grant of made) err.write(`${inLine(grant.name)}\n${grantLine(grant)}`);
    for (const { project = '', session } of made)
      err.write(`Serve it: synapse connect … --name ${session} --all. There: --remote …#${session}/${inLine(project)}\n`, 'dim');
    return 0;
  },
});

function show(grants: readonly ProjectGrant[], isJson: boolean, out: Parameters<typeof printJson>[0]): number {
  if (isJson) printJson(out, { grants });
  else if (grants.length === 0) out.write('No device is paired with this machine.\n');
  for (const [identity, own] of isJson ? [] : Map.groupBy(grants, (one) => one.identity))
    out.write(`${inLine(own[0]?.name ?? '')}  ${fingerprint(identity)}\n${own.map(grantLine).join('')}`);
  return 0;
}
