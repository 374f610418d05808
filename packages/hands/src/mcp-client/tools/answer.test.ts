import { describe, expect, it } from 'vitest';
import { readAnswer } from './answer.ts';

const png = Buffer.from('not really a picture').toString('base64');
const kept: Uint8Array[] = [];
const keep = (bytes: Uint8Array): string => `spill:${kept.push(bytes)}`;
const read = (given: unknown, limit = 50_000) => {
  kept.length = 0;
  return readAnswer(given, keep, limit);
};
const text = (value: string) => ({ type: 'text', text: value });

describe('readAnswer', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['texts in a row are one', [text('a'), text('b\n'), text('c')], [text('a\nb\nc')]],
    [
      'pictures keep their place',
      [text('a'), { type: 'image', data: png, mimeType: 'image/png' }, text('b')],
      [text('a'), { type: 'image', data: png, mimeType: 'image/png' }, text('b')],
    ],
    [
      'a picture of a kind that nobody shows is stored',
      [{ type: 'image', data: png, mimeType: 'image/tiff' }],
      [text('[an image, image/tiff, 20B: stored as spill:1]')],
    ],
    ['a sound is stored', [{ type: 'audio', data: png, mimeType: 'audio/wav' }], [text('[audio, audio/wav, 20B: stored as spill:1]')]],
    [
      'a text resource is shown',
      [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/x', text: 'body' } }],
      [text('[resource file:///a, text/x]\nbody')],
    ],
    [
      'a picture as a resource is shown',
      [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'image/png', blob: png } }],
      [text('[resource a:b, image/png]'), { type: 'image', data: png, mimeType: 'image/png' }],
    ],
    [
      'another resource is stored',
      [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'x/zip', blob: png } }],
      [text('[resource a:b, x/zip, 20B: stored as spill:1]')],
    ],
    ['a link is named', [{ type: 'resource_link', uri: 'a:b', name: 'B', description: 'two\nlines' }], [text('[resource link a:b: B, two lines]')]],
    ['what is not known is shown as it is', [{ type: 'new', x: 1 }], [text('{"type":"new","x":1}')]],
  ])('%s', (_, content, expected) => {
    const answer = read({ content });
    expect(answer.content).toEqual(expected);
    // Programs get all of it.
    expect(answer.data.content).toEqual(content);
  });

  it.each<[string, unknown, unknown, unknown[]]>([
    ['its JSON is in the text', [text('{"b": 2,\n"a": 1}')], { a: 1, b: 2 }, [text('{"b": 2,\n"a": 1}')]],
    ['the text is its only field', [text('body')], { content: 'body' }, [text('body')]],
    ['the text says something else', [text('done')], { a: 1 }, [text('done\n{"a":1}')]],
    ['there is no text', undefined, [1, 2], [text('[1,2]')]],
    ['it is nothing', [text('x')], null, [text('x\nnull')]],
  ])('tells a structured value once, where %s', (_, content, structuredContent, expected) => {
    const answer = read({ content, structuredContent });
    expect(answer.content).toEqual(expected);
    expect(answer.data.structured).toEqual(structuredContent);
  });

  it.each<[unknown, unknown[]]>([
    [{ toolResult: 5 }, [text('{"toolResult":5}')]],
    [{ content: 'x' }, [text('{"content":"x"}')]],
    [{ content: 'x', isError: true, _meta: { a: 1 } }, [text('{"content":"x"}')]],
    [{ content: [], more: 1 }, []],
    [{ structuredContent: {}, more: 1 }, [text('{}')]],
    [{ _meta: { a: 1 } }, []],
    [{}, []],
  ])('does not take what %j says for nothing', (given, expected) => {
    expect(read(given).content).toEqual(expected);
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('refuses a value that would use up the stack: %s and so on', (open, close) => {
    const nested = (levels: number): unknown => JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);
    expect(read({ structuredContent: nested(199) }).content).toHaveLength(1);
    for (const given of [{ structuredContent: nested(200) }, { content: [nested(50_000)] }]) {
      expect(() => read(given)).toThrow(expect.objectContaining({ code: 'tool_failed', message: expect.stringContaining('200 levels') as string }));
    }
  });

  it('puts texts between pictures under one limit', () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' };
    const content = Array.from({ length: 10 }, () => [text('x'.repeat(100)), image]).flat();
    expect(read({ content }, 500).content.map(({ type }) => type)).toEqual(['text', ...Array.from({ length: 10 }, () => 'image')]);
    expect(read({ content }, 5_000).content).toHaveLength(20);
  });

  it('shows so many blocks and pictures, and no more', () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' };
    expect(read({ content: Array.from({ length: 25 }, () => image) }).content.filter(({ type }) => type === 'image')).toHaveLength(20);
    expect(kept).toHaveLength(5);
    const many = read({ content: Array.from({ length: 1_200 }, () => text('x')) });
    expect(many.content).toEqual([text(`${'x\n'.repeat(1_000)}[200 more blocks are left out.]`)]);
  });
});
