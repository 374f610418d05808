import type { ContentBlock as PromptBlock } from '@agentclientprotocol/sdk';
import { ContentBlock, McpServer, type NewSessionRequest } from '@agentclientprotocol/sdk/experimental/v2';
import { SynapseError } from '@synapse/protocol';
import type { Opening } from '../acp-sessions.ts';
import type { PassedServer } from '../client-servers.ts';

function promptBlock(block: ContentBlock): PromptBlock {
  if (ContentBlock.isText(block)) return { type: 'text', text: block.text };
  if (ContentBlock.isImage(block)) return { type: 'image', mimeType: block.mimeType, data: block.data };
  if (ContentBlock.isResource(block)) return { type: 'resource', resource: block.resource };
  if (ContentBlock.isResourceLink(block)) {
    const { name, uri, title, description, mimeType, size } = block;
    return {
      type: 'resource_link',
      name,
      uri,
      title: title ?? null,
      description: description ?? null,
      mimeType: mimeType ?? null,
      size: size ?? null,
    };
  }
  throw new SynapseError('invalid_arguments', `Content of the type ${JSON.stringify(block.type.slice(0, 40))} is not supported.`, {
    hint: 'Send text, images, links or attachments.',
  });
}

/** The blocks of a prompt, as every version has them. */
export const promptBlocks = (blocks: readonly ContentBlock[]): PromptBlock[] => blocks.map(promptBlock);

function passedServer(server: McpServer): PassedServer {
  if (McpServer.isHttp(server)) return { type: 'http', name: server.name, url: server.url, headers: server.headers ?? [] };
  if (McpServer.isStdio(server)) return { name: server.name, command: server.command, args: server.args ?? [], env: server.env ?? [] };
  throw new SynapseError('invalid_arguments', `MCP servers of the type ${JSON.stringify(server.type.slice(0, 40))} are not supported.`);
}

/**
 * What a request opens a session with.
 *
 * @throws SynapseError `invalid_arguments` for more folders, which the agent does not offer
 */
export function openingOf({ cwd, mcpServers, additionalDirectories }: NewSessionRequest): Opening {
  if (additionalDirectories !== undefined && additionalDirectories.length > 0)
    throw new SynapseError('invalid_arguments', 'A session has one folder.', { hint: 'Leave out additionalDirectories.' });
  return { cwd, servers: (mcpServers ?? []).map(passedServer) };
}
