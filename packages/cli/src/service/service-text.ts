import { SynapseError } from '@synapse/protocol';

/** A command that the system keeps running. It contains no secrets: the command reads keys itself. */
export interface ServiceDefinition {
  /** The session name: letters, digits, dots and dashes. */
  readonly session: string;
  /** The program, by its absolute path, and its arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Exit codes after which a restart would not help: refused for good, invalid options, not paired, no such session. */
const FINAL_EXITS = [1, 2, 3, 5];
const RESTART_SECONDS = 5;

/** Service files cannot contain line breaks in a value: the rest would be a new line. */
function assertOneLine({ command, environment }: ServiceDefinition): void {
  const wrong = [...command, ...Object.values(environment)].find((word) => /\p{Cc}/u.test(word));
  if (wrong === undefined) return;
  throw new SynapseError('invalid_arguments', `A service cannot have control characters in ${JSON.stringify(wrong.slice(0, 100))}.`, {
    hint: 'Use a path without them.',
  });
}

/** A quoted word in a systemd unit. Doubles characters that systemd would expand. */
const quoted = (word: string, replaced: RegExp): string => `"${word.replaceAll(/[\\"]/gu, String.raw`\$&`).replaceAll(replaced, '$&$&')}"`;

/**
 * A systemd user unit.
 *
 * @throws SynapseError `invalid_arguments` for values that a unit cannot contain
 */
export function systemdUnit(definition: ServiceDefinition): string {
  assertOneLine(definition);
  const { session, command, environment } = definition;
  return [
    '[Unit]',
    `Description=Synapse: the tools of this machine as ${session}`,
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${command.map((word) => quoted(word, /[%$]/gu)).join(' ')}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`, /%/gu)}`),
    'Restart=on-failure',
    `RestartSec=${RESTART_SECONDS}`,
    `RestartPreventExitStatus=${FINAL_EXITS.join(' ')}`,
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/gu, (character) => ENTITIES[character] ?? character);

/**
 * A property list for launchd. Restarts the command only after a crash.
 *
 * @param log the log file
 * @throws SynapseError `invalid_arguments` for values that a property list cannot contain
 */
export function launchdPlist(definition: ServiceDefinition, label: string, log: string): string {
  assertOneLine(definition);
  const { command, environment } = definition;
  const text = (value: string): string => `<string>${escaped(value)}</string>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...command.map((word) => `    ${text(word)}`),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(environment).map(([name, value]) => `    <key>${escaped(name)}</key>${text(value)}`),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>Crashed</key><true/></dict>',
    `  <key>ThrottleInterval</key><integer>${RESTART_SECONDS}</integer>`,
    `  <key>StandardErrorPath</key>${text(log)}`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
