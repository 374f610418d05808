import {
  ensureDevice,
  enrollmentUrl,
  joinPairing,
  KnownMachines,
  offerPairing,
  PairedDevices,
  pairingUrl,
  readAddress,
  sessionUrl,
} from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { createDevice, fingerprint, openDevice, type PairedDevice, type StoredDevice } from '@synapse/protocol/remote';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { flag, parsed, text, type OptionValues } from '../command/option.ts';
import { workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { checkApprovedTools } from '../remote/approved-tools.ts';
import { DAY_MS, grantOptions, NOTICED_MS } from '../remote/grant-options.ts';
import { remoteFolder } from '../remote/remote-folder.ts';
import { inLine } from '../output/visible-text.ts';
import { offerToTrack, track } from '../hands/open-hands.ts';
import { trackedRoot, workspaceRoot } from '../hands/workspace-root.ts';
import { lineReader } from '../approval/line-reader.ts';

/** Asks for a code on the terminal or stdin. Never as an argument: every user of the machine can read those. */
async function askCode(question: string, { stdin, err, signal }: CommandIo): Promise<string> {
  if (stdin.isTTY) err.write(`${question} `);
  using lines = lineReader(stdin, signal);
  const line = (await lines.next())?.trim();
  if (line === undefined || line === '') {
    throw new SynapseError('invalid_arguments', 'No code was entered.', { hint: 'Type it at the question, or send it as a line on stdin.' });
  }
  return line;
}

const PORTS = {
  expects: 'own, for the jobs that it starts, or all, for those of the project',
  parse: (given: string): 'own' | 'all' | undefined => (given === 'own' || given === 'all' ? given : undefined),
};

const options = {
  name: text('<session>', 'on the machine: its name at the relay'),
  workspace,
  tools: grantOptions.tools,
  approves: grantOptions.approves,
  ports: parsed('<own|all>', 'on the machine: jobs whose ports it may reach', PORTS),
  approver: flag('on the machine: the device answers questions only', { rare: true }),
  maxRunning: grantOptions.maxRunning,
  expires: grantOptions.expires,
  printCredentials: flag('on the other: print new keys, for a secret store', { rare: true }),
} as const;

type PairOptions = OptionValues<typeof options>;

function tellPaired({ identity, name }: PairedDevice, err: CommandIo['err']): void {
  err.write(`Paired with ${inLine(name)}.\n  Its fingerprint: ${fingerprint(identity)}\n`);
}

function tellOwn(identity: string, err: CommandIo['err']): void {
  err.write(`  This device:     ${fingerprint(identity)}\n`, 'dim');
  err.write('Compare both with the other screen. If one differs, the relay took part: run synapse pair revoke on both sides.\n');
}

/** Shows a code and waits for the other device. */
async function pairMachine(relay: string, session: string, given: PairOptions, io: CommandIo): Promise<number> {
  const { err, signal } = io;
  const approves = checkApprovedTools(given.approves);
  const root = workspaceRoot(given.workspace ?? '.');
  // Before a code is shown: a device is not paired with a folder that cannot be served, or that its owner does not want served.
  if (given.workspace !== undefined) track(root, err);
  else if ((await offerToTrack(root, io)) === false) trackedRoot(undefined, err);
  const folder = remoteFolder(root);
  const stored = await ensureDevice(folder);
  const device = await openDevice(stored);
  const paired = new PairedDevices(folder);
  const keep = async ({ identity, name }: PairedDevice): Promise<void> => {
    paired.add({
      identity,
      name: name.slice(0, 64),
      role: given.approver ? 'approver' : 'brain',
      tools: given.tools.length > 0 ? [...given.tools] : ['*'],
      approves: [...approves],
      maxRunning: given.maxRunning ?? 4,
      ...(given.ports === undefined ? {} : { ports: given.ports }),
      expires: Date.now() + (given.expires ?? 90) * DAY_MS,
      session,
      workspace: root,
    });
    await wait(NOTICED_MS);
  };
  const url = pairingUrl(relay, session);
  const offer = () =>
    offerPairing({
      url,
      device,
      name: `${hostname()}#${session}`,
      keep,
      signal,
      onCode: (code) =>
        err.write(`Enter this code on the other device, within ten minutes:\n\n    ${code}\n\nThere: synapse pair ${relay}#${session}\n`, 'bold'),
      onWrongCode: (left) => err.write(`A wrong code was entered. ${left} more ${left === 1 ? 'try' : 'tries'}.\n`, 'yellow'),
    });
  let guest: PairedDevice;
  try {
    guest = await offer();
  } catch (error) {
    if (!(error instanceof SynapseError) || error.details?.['reason'] !== 'not_enrolled') throw error;
    err.write('The relay does not know this machine. Its owner gets a code with: synapse relay invite\n');
    await joinPairing(enrollmentUrl(relay), { identity: device.identity, name: hostname() }, await askCode('Code of the relay:', io), signal);
    guest = await offer();
  }
  tellPaired(guest, err);
  tellOwn(device.identity, err);
  track(root, err);
  err.write(`It may use ${root}. Serve it: synapse connect ${relay} --name ${session}\n`, 'dim');
  return 0;
}

/** Sends the code that a machine shows. */
async function pairBrain(relay: string, given: PairOptions, io: CommandIo): Promise<number> {
  const { out, err, signal } = io;
  const url = sessionUrl(relay);
  const folder = remoteFolder();
  const device: StoredDevice = given.printCredentials ? await createDevice() : await ensureDevice(folder);
  const code = await askCode('Code that the machine shows:', io);
  const machine = await joinPairing(pairingUrl(relay), { identity: device.identity, name: hostname() }, code, signal);
  if (given.printCredentials) printJson(out, { device, machine: machine.identity });
  else new KnownMachines(folder).add({ url, ...machine });
  tellPaired(machine, err);
  tellOwn(device.identity, err);
  // Only the machine knows what it let this device do.
  if (!given.printCredentials) err.write(`Its tools: synapse tools --remote ${relay}\nAs an approver: synapse pair approve ${relay}\n`, 'dim');
  return 0;
}

export const command = defineCommand({
  details: 'The machine shows a code; enter it on the other device. Both then show the fingerprint of the other: compare them.',
  notes:
    'A code works once, for ten minutes, with five tries. Keys are kept in the keychain, else in files that only you can read. ' +
    'What a device may do ends with --expires, or with synapse pair revoke.',
  arguments: { '<url>': 'of the relay; with #session on the device that uses the machine' },
  options,
  examples: [
    ['synapse pair wss://relay.example --name laptop', 'on the machine, in the folder to serve'],
    ['synapse pair wss://relay.example#laptop', 'on the device that is to use it'],
    ['synapse pair wss://relay.example --name laptop --tools read_file,search_text --expires 7', 'two tools, for a week'],
  ],
  async run(context) {
    const { arguments: words, options: given } = context;
    if (given.name !== undefined) return await pairMachine(words.url, readAddress(words.url, given.name).session, given, context);
    return await pairBrain(words.url, given, context);
  },
});
