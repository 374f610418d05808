import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RULE_FIELDS, SETTINGS } from './load-policy.ts';
import { MODES } from './modes.ts';

const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');

it('the reference has a row for each field that is read', () => {
  const fields = [
    ...SETTINGS.map((name) => `permissions.${name}`),
    ...RULE_FIELDS,
    'commands.live',
    'undo.commands',
    'caches.maxGiB',
    'caches.buildOutputMaxGiB',
    'network.maxSentMiB',
    'mcpServers',
  ];
  expect(fields.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  expect(MODES.filter((mode) => !page.includes(`\`${mode}\``))).toEqual([]);
});
