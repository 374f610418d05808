import { MCP_BLOCKS, resourceAddress } from '@synapse/hands/internal';

/** A content block of an MCP result. */
export type McpContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }
  | { type: 'resource_link'; uri: string; name: string; description?: string; mimeType?: string };

/** URLs that clients fetch directly, as the protocol says. */
const OF_THE_WEB = /^https?:\/\//iu;

/** Returns the URI under which clients read a resource of an upstream server through this one. */
export function linkedAddress(server: string, uri: string): string {
  return OF_THE_WEB.test(uri) ? uri : resourceAddress(server, uri);
}

/**
 * Converts a block of an upstream server; undefined for an unknown type, or an image that is not shown.
 *
 * @param isShown whether an image is shown, by its data
 */
export function upstreamBlock(given: unknown, server: string, isShown: (data: string) => boolean = () => true): McpContentBlock | undefined {
  const parsed = MCP_BLOCKS.safeParse(given);
  if (!parsed.success) return undefined;
  const block = parsed.data;
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return isShown(block.data) ? { type: 'image', data: block.data, mimeType: block.mimeType } : undefined;
    case 'audio':
      return { type: 'audio', data: block.data, mimeType: block.mimeType };
    case 'resource': {
      const { uri, mimeType, text, blob } = block.resource;
      const about = { uri: linkedAddress(server, uri), ...(mimeType === undefined ? {} : { mimeType }) };
      if (text !== undefined) return { type: 'resource', resource: { ...about, text } };
      return blob === undefined ? undefined : { type: 'resource', resource: { ...about, blob } };
    }
    case 'resource_link':
    default: {
      const { uri, name = uri, description, mimeType } = block;
      const more = { ...(description === undefined ? {} : { description }), ...(mimeType === undefined ? {} : { mimeType }) };
      return { type: 'resource_link', uri: linkedAddress(server, uri), name, ...more };
    }
  }
}

/** The bytes that base64 encodes. */
const sizeOf = (data: string): number => Math.floor((data.replace(/=+$/u, '').length * 3) / 4);

/** Replaces images by a sentence, for a client that would pass their base64 to its model as text. */
export function withoutImages(blocks: readonly McpContentBlock[]): McpContentBlock[] {
  return blocks.map((block) =>
    block.type === 'image'
      ? {
          type: 'text',
          text:
            `[This is an image: ${block.mimeType}, ${sizeOf(block.data)} bytes. This client shows no images of MCP servers to its model. ` +
            'A person can open the file, and a program started with run_command can describe it.]',
        }
      : block,
  );
}
