import { KnownMachines, PairedDevices } from '@synapse/remote';
import { deviceId, fingerprint } from '@synapse/protocol/remote';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { remoteFolder } from '../remote/remote-folder.ts';
import { inLine } from '../output/visible-text.ts';

/** Whose jobs a device may reach. */
const PORTS = { own: 'its jobs', all: 'all jobs' } as const;

export const command = defineCommand({
  details: 'Lists devices that may use this machine, with their permissions, and machines that this device may use.',
  options: { json },
  examples: [['synapse pair list', 'both, with fingerprints']],
  run({ options, out }) {
    const folder = remoteFolder();
    const devices = new PairedDevices(folder).list();
    const machines = new KnownMachines(folder).list();
    if (options.json) {
      printJson(out, { devices: devices.map((grant) => ({ id: deviceId(grant.identity), ...grant })), machines });
      return Promise.resolve(0);
    }
    for (const { name, identity, role, session, workspace, tools, ports, expires } of devices) {
      const what = role === 'approver' ? 'approves' : `${tools.join(',')}${ports === undefined ? '' : `, ports of ${PORTS[ports]}`}`;
      out.write(
        `${inLine(name)}  ${fingerprint(identity)}\n  ${role} in ${inLine(workspace)} as ${session}: ${what}, until ${new Date(expires).toISOString().slice(0, 10)}\n`,
      );
    }
    for (const { name, identity, url } of machines) out.write(`${inLine(name)}  ${fingerprint(identity)}\n  machine at ${inLine(url)}\n`);
    if (devices.length + machines.length === 0) out.write('Nothing is paired.\n');
    return Promise.resolve(0);
  },
});
