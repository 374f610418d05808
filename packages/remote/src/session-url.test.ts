import { expect, it } from 'vitest';
import { enrollmentUrl, pairingUrl, readAddress, sessionUrl } from './session-url.ts';

it('the URL of a relay has no secret, which would be in the list of processes', () => {
  for (const url of ['wss://user:secret@relay.example#desk', 'wss://secret@relay.example#desk']) {
    for (const make of [sessionUrl, pairingUrl, enrollmentUrl]) {
      const refused = expect.objectContaining({ code: 'invalid_arguments', message: expect.not.stringContaining('secret') as string });
      expect(() => make(url)).toThrow(refused);
    }
  }
  expect(sessionUrl('wss://relay.example/way#desk')).toBe('wss://relay.example/way/v1/s/desk');
});

it('a workspace in an address is no part of the URL that a relay gets', () => {
  for (const [given, workspace] of [
    ['#desk', undefined],
    ['#desk/web', 'web'],
    ['#desk/a%2Fb c', 'a/b c'],
    ['#desk/../x', '../x'],
    ['#desk/', ''],
  ] as const) {
    const address = `wss://relay.example/way${given}`;
    expect(readAddress(address)).toMatchObject(workspace === undefined ? { session: 'desk' } : { session: 'desk', workspace });
    for (const make of [sessionUrl, pairingUrl]) expect(make(address)).toMatch(/\/desk$/u);
  }
});
