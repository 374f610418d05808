import { expect, it } from 'vitest';
import { findResource, type McpResource } from './resource.ts';

const resource = (uri: string): McpResource => ({ uri, name: uri, title: '', description: '', mimeType: '', uses: [], read: async () => [] });
const resources = ['synapse://audit', 'synapse://audit/newest/{count}', 'synapse://spills/{id}', 'synapse://spills/{id}/from/{line}'].map(resource);

it.each<[string, string | undefined, object]>([
  ['synapse://audit', 'synapse://audit', {}],
  ['synapse://audit/newest/5', 'synapse://audit/newest/{count}', { count: '5' }],
  ['synapse://spills/abc', 'synapse://spills/{id}', { id: 'abc' }],
  ['synapse://spills/abc/from/7', 'synapse://spills/{id}/from/{line}', { id: 'abc', line: '7' }],
  ['synapse://spills/abc/def', undefined, {}],
  ['synapse://spills/', undefined, {}],
  ['synapse://spills/{id}/', undefined, {}],
  ['xsynapse://audit', undefined, {}],
  ['synapse://audit/', undefined, {}],
  ['file:///etc/passwd', undefined, {}],
  [`synapse://spills/${'x'.repeat(1_024)}`, undefined, {}],
  ['', undefined, {}],
])('%s', (uri, found, variables) => {
  const result = findResource(resources, uri);
  expect(result?.resource.uri).toBe(found);
  expect(result?.variables ?? {}).toEqual(variables);
});
