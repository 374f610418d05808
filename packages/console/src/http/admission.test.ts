import { expect, it } from 'vitest';
import { refusalOf } from './admission.ts';

const PORT = 7413;
const good = { host: `127.0.0.1:${PORT}` };
const origin = `http://127.0.0.1:${PORT}`;

it.each<[string, string, Record<string, string>, number | undefined]>([
  ['the page itself', 'GET', good, undefined],
  ['localhost by name', 'GET', { host: `localhost:${PORT}` }, undefined],
  ['no host', 'GET', {}, 421],
  ['a rebound name', 'GET', { host: `evil.example:${PORT}` }, 421],
  ['a name that begins well', 'GET', { host: `127.0.0.1:${PORT}.evil.example` }, 421],
  ['another port', 'GET', { host: '127.0.0.1:80' }, 421],
  ['its own origin', 'POST', { ...good, origin }, undefined],
  ['a sign-in without an origin', 'POST', good, 403],
  ['another origin', 'GET', { ...good, origin: 'http://evil.example' }, 403],
  ['another port of this machine', 'POST', { ...good, origin: 'http://127.0.0.1:3000' }, 403],
  ['its other name', 'POST', { ...good, origin: `http://localhost:${PORT}` }, 403],
  ['no origin to speak of', 'POST', { ...good, origin: 'null' }, 403],
  ['a script tag elsewhere', 'GET', { ...good, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
  ['a link elsewhere', 'GET', { ...good, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, undefined],
  ['another method', 'PUT', { ...good, origin }, 405],
])('%s', (_, method, headers, status) => {
  expect(refusalOf({ method, url: '/', headers }, PORT)?.status).toBe(status);
});

it.each<[string, Record<string, string>, number | undefined]>([
  ['the page', { ...good, origin }, undefined],
  ['a program', good, 403],
  ['a page elsewhere', { ...good, origin: 'https://evil.example' }, 403],
])('a WebSocket of %s', (_, headers, status) => {
  expect(refusalOf({ method: 'GET', url: '/socket', headers }, PORT, true)?.status).toBe(status);
});
