import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli, type Place } from './run-cli.ts';
import { talk } from './talk.ts';

const everything = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')), 'dist/index.js');

async function placeWithServer(): Promise<Place> {
  const servers = { everything: { command: process.execPath, args: [everything] } };
  const place = await makePlace({ '.mcp.json': JSON.stringify({ mcpServers: servers }) });
  expect(await runCli(place, ['projects', 'trust', '.', '--yes'])).toMatchObject({ code: 0 });
  return place;
}

const ASK = ['mcp:everything:trigger-elicitation-request', '{}'];

it('asks the person at the terminal for the fields of a form, and sends what they typed once they have seen it', async () => {
  const place = await placeWithServer();
  const { code, screen } = await talk(place, ASK, [
    ['> ', 'y\r'],
    ['String (text · required)', '\r'],
    ['It takes a value.', 'Ada\r'],
    ['Boolean (y or n)', 'y\r'],
    ['String with default', '\r'],
    ['email format', '\r'],
    ['uri format', '\r'],
    ['date format', '\r'],
    ['Integer (whole number', '7000\r'],
    ['It takes a whole number', '7\r'],
    ['Number in range', '\r'],
    ['Untitled Single', '2\r'],
    ['Untitled Multiple', '1,3\r'],
    ['Titled Single Select', '1\r'],
    ['Titled Multiple Select', '\r'],
    ['Legacy', '\r'],
    ['Send this to everything?', 'y\r'],
  ]);
  expect(screen).toContain('The MCP server everything asks you (for mcp:everything:trigger-elicitation-request):');
  expect(screen).toContain('> Please provide inputs for the following fields:');
  expect(screen).toContain('"name":"Ada"');
  expect(screen).toContain('Name: Ada');
  expect(screen).toContain('"integer": 7');
  expect(code).toBe(0);
});

it('declines a form at a word, and shows a page to open', async () => {
  const place = await placeWithServer();
  const declined = await talk(place, ASK, [
    ['> ', 'y\r'],
    ['String (text · required)', '.n\r'],
  ]);
  expect(declined.screen).toContain('User declined');
  const page = ['mcp:everything:trigger-url-elicitation', '{"url":"https://example.com/pay","message":"Pay."}'];
  const opened = await talk(place, page, [
    ['> ', 'y\r'],
    ['I open it', 'y\r'],
  ]);
  expect(opened.screen).toContain('wants you to open a page of example.com');
  expect(opened.screen).toContain('  https://example.com/pay');
  expect(opened.screen).toContain('User completed');
});
