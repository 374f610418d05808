import { describe, expect, it } from 'vitest';
import { toolName } from '../tool-name.ts';
import { readPrompt, readResource, readTemplate } from './offer.ts';
import { readResourceAddress, resourceAddress } from './resource-address.ts';

describe('what a server says of its prompts and resources', () => {
  it('has no words that act, hide, or never end', () => {
    expect(
      readPrompt('s', { name: 'p', title: 'a\u001B[2J\nb', description: 'x'.repeat(9_000), arguments: [{ name: 'q', description: '\u202E' }] }),
    ).toEqual({
      name: 'mcp:s:p',
      server: 's',
      ownName: 'p',
      title: 'a\\x1b[2J b',
      description: `${'x'.repeat(1_000)}…`,
      arguments: [{ name: 'q', description: '\\xe2\\x80\\xae', required: false }],
    });
    expect(readResource('s', { uri: 'file:///a', name: 'a\u0007', mimeType: 7 })).toMatchObject({ name: 'a\\x07', mimeType: undefined });
  });

  it.each([
    [readPrompt, { name: '' }],
    [readPrompt, { name: 'x'.repeat(201) }],
    [readPrompt, { name: 'a\u200Bb' }],
    [readPrompt, { name: 'a', arguments: [{ name: 'b\u202E' }] }],
    [readPrompt, { name: 'a', arguments: Array.from({ length: 51 }, () => ({ name: 'b' })) }],
    [readPrompt, 'a'],
    [readResource, { uri: 'a\nb' }],
    [readResource, { uri: `x:${'a'.repeat(2_000)}` }],
    [readResource, {}],
    [readTemplate, { uri: 'x:a' }],
  ])('is left out: %j %j', (read, sent) => {
    expect(read('s', sent)).toBeUndefined();
  });

  it('names nothing of another server, or of ours', () => {
    const forged = readResource('evil', { uri: 'synapse://mcp/good/file:///secret' });
    expect(readResourceAddress(forged?.uri ?? '')).toEqual({ server: 'evil', uri: 'synapse://mcp/good/file:///secret' });
    expect(readPrompt('evil', { name: 'good:prompt' })?.name).toMatch(/^mcp:evil:good_prompt_[0-9a-f]{8}$/u);
    for (const name of ['resources.read', 'prompts.get', 'resources.subscribe', 'completion.complete']) {
      expect(toolName('evil', name)).toMatch(/^mcp:evil:.*_[0-9a-f]{8}$/u);
    }
  });
});

describe('addresses', () => {
  it.each(['demo://resource/1?x=1#y', 'file:///a/../b', 'x:{+path}{?query*}', 'mailto:a@b'])('of %s lead back to it', (uri) => {
    expect(readResourceAddress(resourceAddress('a.b-c_1', uri))).toEqual({ server: 'a.b-c_1', uri });
  });

  it.each([
    'synapse://audit',
    'synapse://mcp/',
    'synapse://mcp/a',
    'synapse://mcp/a/',
    'synapse://mcp/a b/x',
    'xsynapse://mcp/a/x',
    `synapse://mcp/a/${'x'.repeat(8_000)}`,
  ])('%s is none', (address) => {
    expect(readResourceAddress(address)).toBeUndefined();
  });
});
