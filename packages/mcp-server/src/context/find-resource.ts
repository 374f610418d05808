import { UriTemplate } from '@modelcontextprotocol/server';
import { isTemplate, type McpResource } from './resource.ts';

/** No address of ours is longer; matching a megabyte against every template would be work for nothing. */
const MAX_URI_CHARACTERS = 1_024;

/** A resource, and what stands in the places of its template. */
export interface FoundResource {
  readonly resource: McpResource;
  readonly variables: Readonly<Record<string, string>>;
}

/** The resource at an address: the one that has exactly this one goes before templates. */
export function findResource(resources: readonly McpResource[], uri: string): FoundResource | undefined {
  if (uri.length > MAX_URI_CHARACTERS) return undefined;
  const exact = resources.find((resource) => resource.uri === uri && !isTemplate(resource));
  if (exact !== undefined) return { resource: exact, variables: {} };
  for (const resource of resources.filter(isTemplate)) {
    const matched = new UriTemplate(resource.uri).match(uri);
    if (matched === null) continue;
    const single = Object.entries(matched).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { resource, variables: Object.fromEntries(single) };
  }
  return undefined;
}
