import { hash } from 'node:crypto';

/** Together with `mcp:` and `:` they stay below the 128 characters that records keep of a name. */
const MAX_SERVER = 40;
const MAX_TOOL = 80;
const HASH_CHARACTERS = 8;
const ALLOWED = /^[A-Za-z0-9_.-]+$/u;
const FORBIDDEN = /[^A-Za-z0-9_.-]+/gu;

/** A stranger's name in letters that rules, providers and terminals all take; what had to be changed ends in a hash of the whole. */
function safe(name: string, most: number): string {
  if (name.length <= most && ALLOWED.test(name)) return name;
  const kept = name
    .slice(0, 4 * most)
    .replace(FORBIDDEN, '_')
    .slice(0, most - HASH_CHARACTERS - 1);
  return `${kept}_${hash('sha256', name, 'hex').slice(0, HASH_CHARACTERS)}`;
}

/** A server's name as rules and tools have it. */
export function serverName(configured: string): string {
  return safe(configured, MAX_SERVER);
}

/** The name of a server's tool among all tools: `mcp:<server>:<tool>`. */
export function toolName(server: string, tool: string): string {
  return `mcp:${serverName(server)}:${safe(tool, MAX_TOOL)}`;
}

/** The server that a tool's name is about; undefined for a name of another form. */
export function serverOf(name: string): string | undefined {
  return /^mcp:(?<server>[^:]+):/u.exec(name)?.groups?.['server'];
}
