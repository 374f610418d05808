import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { dataMarks } from '@synapse/hands/internal';
import type { McpContentBlock } from '../content-block.ts';

type Contents = ReadResourceResult['contents'];

/** The pages of MCP Apps: clients render them, and no model reads them. Other content at such an address is for models like any other. */
const PAGE_ADDRESS = /^ui:/iu;
const PAGE_TYPE = /^text\/html\s*;\s*profile\s*=\s*"?mcp-app"?$/iu;

const isPage = (contents: Contents, uri: string): boolean =>
  PAGE_ADDRESS.test(uri) && contents.every(({ mimeType }) => mimeType !== undefined && PAGE_TYPE.test(mimeType));

const originOf = (server: string): string => `MCP server ${server}`;

/** A prompt is one that the user chose; its words are still those of the server. */
function marked(text: string, server: string): string {
  const { begin, end } = dataMarks(originOf(server), { as: 'a prompt that the user chose there' });
  return `${begin}\n${text}\n${end()}`;
}

/** Returns a block of a prompt of an upstream server with its text between marks. */
export function markedBlock(block: McpContentBlock, server: string): McpContentBlock {
  if (block.type === 'text') return { ...block, text: marked(block.text, server) };
  if (block.type === 'resource' && 'text' in block.resource)
    return { ...block, resource: { ...block.resource, text: marked(block.resource.text, server) } };
  return block;
}

/** Puts marks before and after the contents of a resource of an upstream server. They are contents of their own, so that JSON stays JSON. */
export function markedContents(contents: Contents, server: string, uri: string): Contents {
  const first = contents[0];
  if (first === undefined || isPage(contents, uri) || !contents.some((content) => 'text' in content)) return contents;
  const { begin, end } = dataMarks(originOf(server));
  const note = (text: string): Contents[number] => ({ uri: first.uri, mimeType: 'text/plain', text });
  return [note(begin), ...contents, note(end())];
}
