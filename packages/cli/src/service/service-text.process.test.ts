import { ERROR_CODES } from '@synapse/protocol';
import { CLOSE_CODES } from '@synapse/protocol/remote';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { servicePlace } from './service-place.ts';
import { launchdPlist, systemdUnit } from './service-text.ts';

const command = [process.execPath, '/opt/synapse.js', 'connect', 'wss://relay.example', '--workspace', '/home/a b/"50%" $HOME\\x<&>'];
const definition = { session: 'desk', command, environment: { PATH: '/bin:/opt/100%' } };

it('writes a unit in which nothing of a path is replaced', () => {
  const unit = systemdUnit(definition);
  expect(unit).toContain(String.raw`"--workspace" "/home/a b/\"50%%\" $$HOME\\x<&>"`);
  expect(unit).toContain('Environment="PATH=/bin:/opt/100%%"\n');
  const [, codes = ''] = /^RestartPreventExitStatus=(.*)$/mu.exec(unit) ?? [];
  expect(codes).toBe('1 2 3 5');
  // A relay that refuses for good is not asked again and again.
  const refused = Object.values(CLOSE_CODES).flatMap(({ next, error }) => (next === 'fatal' ? [String(ERROR_CODES[error].exitCode)] : []));
  expect(codes.split(' ')).toEqual(expect.arrayContaining(refused));
});

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd takes the unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-unit-'));
  const file = join(folder, 'synapse-desk.service');
  writeFileSync(file, systemdUnit(definition));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', file], { encoding: 'utf8' });
  expect({ status, stderr: stderr.split('\n').filter((line) => line.includes('synapse-desk')) }).toEqual({ status: 0, stderr: [] });
});

it('writes a property list in which no text ends early', () => {
  const plist = launchdPlist(definition, 'dev.synapse.desk', '/log');
  expect(plist).toContain('<string>/home/a b/&quot;50%&quot; $HOME\\x&lt;&amp;&gt;</string>');
  expect(plist.match(/<string>/gu)).toHaveLength(command.length + 3);
});

it('refuses a line break, which would start a new line', () => {
  const wrong = { ...definition, environment: { PATH: '/bin\nExecStartPre=/bin/evil' } };
  expect(() => systemdUnit(wrong)).toThrow('control characters');
  expect(() => launchdPlist(wrong, 'l', '/log')).toThrow('control characters');
});

const host = { home: '/home/u', configHome: undefined, uid: 501 };
it.each([
  ['linux', '/home/u/.config/systemd/user/synapse-desk.service', 'systemctl'],
  ['darwin', '/home/u/Library/LaunchAgents/dev.synapse.desk.plist', 'launchctl'],
] as const)('on %s it is %s', (platform, file, program) => {
  const place = servicePlace({ ...host, platform }, 'desk');
  expect(place.file).toBe(file);
  expect([...place.start, ...place.stop].every(([first]) => first === program)).toBe(true);
});

it('says what to do where services are not known', () => {
  expect(() => servicePlace({ ...host, platform: 'win32' }, 'desk')).toThrow('not supported on win32');
});
