import { KnownMachines, PairedDevices } from '@synapse/remote';
import { deviceId, fingerprint } from '@synapse/protocol/remote';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { grantLine } from '../remote/grant-lines.ts';
import { remoteFolder } from '../remote/remote-folder.ts';
import { inLine } from '../output/visible-text.ts';

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
    for (const grant of devices) out.write(`${inLine(grant.name)}  ${fingerprint(grant.identity)}\n${grantLine(grant)}`);
    for (const { name, identity, url } of machines) out.write(`${inLine(name)}  ${fingerprint(identity)}\n  machine at ${inLine(url)}\n`);
    if (devices.length + machines.length === 0) out.write('Nothing is paired.\n');
    return Promise.resolve(0);
  },
});
