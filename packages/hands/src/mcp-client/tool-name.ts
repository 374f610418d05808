import { hash } from 'node:crypto';

/** Limits in characters. With `mcp:` and `:`, names stay below the 128 characters that records keep. */
const MAX_SERVER = 40;
const MAX_TOOL = 80;
const HASH_CHARACTERS = 8;
const ALLOWED = /^[A-Za-z0-9_.-]+$/u;
const FORBIDDEN = /[^A-Za-z0-9_.-]+/gu;

/** Our tools for the other requests of a server. Its tools cannot have these names. */
export const REQUEST_TOOLS = {
  getPrompt: 'prompts.get',
  readResource: 'resources.read',
  watchResource: 'resources.subscribe',
  complete: 'completion.complete',
} as const;
const RESERVED: ReadonlySet<string> = new Set(Object.values(REQUEST_TOOLS));

/** Converts an untrusted name to characters valid in rules, providers and terminals; changed names end in a hash. */
function safe(name: string, most: number): string {
  if (name.length <= most && ALLOWED.test(name) && !RESERVED.has(name)) return name;
  const kept = name
    .slice(0, 4 * most)
    .replace(FORBIDDEN, '_')
    .slice(0, most - HASH_CHARACTERS - 1);
  return `${kept}_${hash('sha256', name, 'hex').slice(0, HASH_CHARACTERS)}`;
}

/** Returns the name of a server in rules and tool names. */
export function serverName(configured: string): string {
  return safe(configured, MAX_SERVER);
}

/** Returns the internal name of a server's tool: `mcp:<server>:<tool>`. */
export function toolName(server: string, tool: string): string {
  return `mcp:${serverName(server)}:${safe(tool, MAX_TOOL)}`;
}

/** Returns the name of our tool for a request to a server. */
export function requestToolName(server: string, request: keyof typeof REQUEST_TOOLS): string {
  return `mcp:${serverName(server)}:${REQUEST_TOOLS[request]}`;
}

/** Returns the server in a tool name; undefined for a name of another form. */
export function serverOf(name: string): string | undefined {
  return /^mcp:(?<server>[^:]+):/u.exec(name)?.groups?.['server'];
}
