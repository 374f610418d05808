import { SynapseError } from '@synapse/protocol';
import { join } from 'node:path';
import { launchdPlist, systemdUnit, type ServiceDefinition } from './service-text.ts';

/** What the location of a service depends on. */
export interface ServiceHost {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** `XDG_CONFIG_HOME`, if set. */
  readonly configHome: string | undefined;
  readonly uid: number;
}

/** How this system runs user services. */
export interface ServicePlace {
  /** The file that defines the service. */
  readonly file: string;
  readonly render: (definition: ServiceDefinition) => string;
  /** The commands to start it after the file is written; all must succeed. */
  readonly start: ReadonlyArray<readonly string[]>;
  /** The commands to stop it before the file is deleted; they fail if it is not running. */
  readonly stop: ReadonlyArray<readonly string[]>;
  /** A note for the user. */
  readonly note: string;
  /** What to do where a command to start it fails. */
  readonly help: string;
}

function systemd({ home, configHome }: ServiceHost, session: string): ServicePlace {
  const unit = `synapse-${session}.service`;
  const systemctl = (...words: string[]): string[] => ['systemctl', '--user', ...words];
  return {
    file: join(configHome ?? join(home, '.config'), 'systemd', 'user', unit),
    render: systemdUnit,
    start: [systemctl('daemon-reload'), systemctl('enable', '--now', unit)],
    stop: [systemctl('disable', '--now', unit)],
    note: `What it says: journalctl --user -u ${unit}. To keep it without a login: loginctl enable-linger`,
    help: 'A service needs a login of this user: not su or sudo, and in a container there may be none.',
  };
}

function launchd({ home, uid }: ServiceHost, session: string): ServicePlace {
  const label = `dev.synapse.${session}`;
  const file = join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  const log = join(home, 'Library', 'Logs', `${label}.log`);
  return {
    file,
    render: (definition) => launchdPlist(definition, label, log),
    start: [['launchctl', 'bootstrap', `gui/${uid}`, file]],
    stop: [['launchctl', 'bootout', `gui/${uid}/${label}`]],
    note: `What it says: ${log}`,
    help: 'A launch agent needs a login of this user at the desktop.',
  };
}

/**
 * Where a session's service is defined, and how to start and stop it.
 *
 * @throws SynapseError `unavailable` on an unsupported system
 */
export function servicePlace(host: ServiceHost, session: string): ServicePlace {
  if (host.platform === 'linux') return systemd(host, session);
  if (host.platform === 'darwin') return launchd(host, session);
  throw new SynapseError('unavailable', `Services are not supported on ${host.platform}.`, {
    hint: 'Start synapse connect at login by other means, such as the Task Scheduler.',
  });
}
