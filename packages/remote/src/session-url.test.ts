import { expect, it } from 'vitest';
import { enrollmentUrl, pairingUrl, sessionUrl } from './session-url.ts';

it('the URL of a relay has no secret, which would be in the list of processes', () => {
  for (const url of ['wss://user:secret@relay.example#desk', 'wss://secret@relay.example#desk']) {
    for (const make of [sessionUrl, pairingUrl, enrollmentUrl]) {
      const refused = expect.objectContaining({ code: 'invalid_arguments', message: expect.not.stringContaining('secret') as string });
      expect(() => make(url)).toThrow(refused);
    }
  }
  expect(sessionUrl('wss://relay.example/way#desk')).toBe('wss://relay.example/way/v1/s/desk');
});
