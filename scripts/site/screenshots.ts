// `npm run docs:screenshots`: takes the pictures of the tutorial from a real console with real calls, and writes them to docs/images.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { consolePlace } from '../../packages/console/src/fixtures/console-place.ts';
import { show, watchConsole } from '../../test/console/browser.ts';
import { startChatServer, type Scripted } from '../../test/agent/scripted-chat.ts';
import { CLI } from '../../test/e2e/run-cli.ts';

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const VIEWS = { calls: 'calls', changes: 'changes' } as const;

await using place = await consolePlace({
  'price.js': 'export const price = 80;\n',
  'total.js': "import { price } from './price.js';\n\nexport const total = (count) => count * price;\n",
});
await using hands = await place.hands();
await hands.call('list_directory', { path: '.' });
await hands.call('search_text', { pattern: 'price' });
await hands.call('edit_file', { path: 'price.js', edits: [{ old_text: '80', new_text: '90' }] });
await hands.call('run_command', { command: 'mkdir -p src && cp price.js total.js src/' });
await hands.call('read_file', { path: 'missing.js' });

await using opened = await watchConsole(place);
const { page } = opened.watched;
for (const [name, view] of Object.entries(VIEWS)) {
  await show(page, view);
  await page.screenshot({ path: join(IMAGES, `console-${name}.png`) });
}

// A run of a model, from a script.
const ANSWERS: Scripted[] = [
  { kind: 'calls', calls: [{ id: 'read', name: 'read_file', input: '{"path":"total.js"}' }] },
  {
    kind: 'calls',
    calls: [
      { id: 'edit', name: 'edit_file', input: '{"path":"total.js","edits":[{"old_text":"count * price","new_text":"Math.max(0, count) * price"}]}' },
    ],
  },
  { kind: 'text', text: 'A negative count gives **0** now. I changed one line in `total.js`.' },
];
await using model = await startChatServer((_, index) => ANSWERS[index] ?? { kind: 'text', text: '' });
await show(page, 'runs');
await page.getByLabel('What to do').selectOption({ label: 'A task of your own' });
await page.getByLabel('Task', { exact: true }).fill('Make a negative count give 0');
await page.getByLabel('Model', { exact: true }).fill('provider/model');
await page.getByLabel('Server, where it is your own').fill(model.url);
await page.getByRole('button', { name: 'Start' }).click();
await page.locator('.panel .approval').getByRole('button', { name: 'Allow once' }).click();
await page.locator('.panel .badge', { hasText: 'done' }).waitFor();
await page.locator('.called', { hasText: 'edit_file' }).locator('summary').first().click();
await page.locator('.called .diff-added').waitFor();
await page.screenshot({ path: join(IMAGES, 'console-run.png') });

// A question of an MCP client that cannot ask itself.
const client = new Client({ name: 'your-agent', version: '1' });
const env = { ...getDefaultEnvironment(), XDG_STATE_HOME: dirname(place.stateFolder) };
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', '--workspace', place.project], env, stderr: 'ignore' }),
);
try {
  await show(page, 'approvals');
  const called = client.callTool({ name: 'run_command', arguments: { command: "sed -i 's/price/price.net/' total.js" } });
  await page.locator('.approval').waitFor();
  await page.screenshot({ path: join(IMAGES, 'console-approval.png') });
  await page.getByRole('button', { name: 'Allow these changes' }).click();
  await called;
} finally {
  await client.close();
}
