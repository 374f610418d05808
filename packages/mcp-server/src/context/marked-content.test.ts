import { expect, it } from 'vitest';
import { markedContents } from './marked-content.ts';

const PAGE = 'text/html;profile=mcp-app';
const content = (mimeType: string | undefined, text = 'x') => ({ uri: 'synapse:x', text, ...(mimeType === undefined ? {} : { mimeType }) });

it.each([
  ['a page of an app', 'ui://a/b', [PAGE], false],
  ['a page with other spaces and quotes', 'ui://a/b', ['Text/HTML ; profile="mcp-app"'], false],
  ['a page at another address', 'file:///a', [PAGE], true],
  ['text at the address of a page', 'ui://a/b', ['text/plain'], true],
  ['a web page at the address of a page', 'ui://a/b', ['text/html'], true],
  ['a longer type', 'ui://a/b', [`${PAGE}, text/plain`], true],
  ['no type', 'ui://a/b', [undefined], true],
  ['text beside a page', 'ui://a/b', [PAGE, 'text/plain'], true],
])('marks what a model could read: %s', (_, uri, types, isMarked) => {
  const contents = types.map((type) => content(type));
  const shown = markedContents(contents, 'server', uri);
  expect(shown).toHaveLength(types.length + (isMarked ? 2 : 0));
  expect(shown).toEqual(expect.arrayContaining(contents));
});

it('leaves content without text', () => {
  const contents = [{ uri: 'synapse:x', blob: 'AA==' }];
  expect(markedContents(contents, 'server', 'file:///a')).toEqual(contents);
});
