import { describe, expect, it } from 'vitest';
import { headerParameters, parameterHeaders } from './header-parameters.ts';

const object = (properties: object): { type: string; properties: object } => ({ type: 'object', properties });
const region = { type: 'string', 'x-mcp-header': 'Region' };

describe('properties that go into headers', () => {
  it('are found at any depth of properties', () => {
    const schema = object({ region, deep: object({ sure: { type: 'boolean', 'x-mcp-header': 'Sure' } }), other: { type: 'string' } });
    expect(headerParameters(schema)).toEqual([
      { path: ['region'], name: 'Region' },
      { path: ['deep', 'sure'], name: 'Sure' },
    ]);
    expect(headerParameters(object({ 'x-mcp-header': { type: 'string' } }))).toEqual([]);
  });

  it.each([
    ['a name with a line end', object({ a: { type: 'string', 'x-mcp-header': 'A\r\nX: y' } })],
    ['an empty name', object({ a: { type: 'string', 'x-mcp-header': '' } })],
    ['no text', object({ a: { type: 'string', 'x-mcp-header': 7 } })],
    ['an object', object({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['a number', object({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['the same name in another case', object({ a: region, b: { type: 'string', 'x-mcp-header': 'REGION' } })],
    ['an entry of a list', object({ a: { type: 'array', items: region } })],
    ['one of several', { ...object({}), anyOf: [object({ a: region })] }],
    ['all of it', { ...object({}), 'x-mcp-header': 'A' }],
  ])('are refused for %s', (_, schema) => {
    expect(headerParameters(schema)).toBeUndefined();
  });
});

it.each<[unknown, Record<string, string>]>([
  [{ region: 'eu west' }, { 'Mcp-Param-Region': 'eu west' }],
  [{ region: 7 }, { 'Mcp-Param-Region': '7' }],
  [{ region: true }, { 'Mcp-Param-Region': 'true' }],
  [{ region: 'ä\r\nX: y' }, { 'Mcp-Param-Region': `=?base64?${Buffer.from('ä\r\nX: y').toString('base64')}?=` }],
  [{ region: ' a' }, { 'Mcp-Param-Region': '=?base64?IGE=?=' }],
  [{ region: '' }, { 'Mcp-Param-Region': '=?base64??=' }],
  [{ region: '=?base64?x?=' }, { 'Mcp-Param-Region': `=?base64?${Buffer.from('=?base64?x?=').toString('base64')}?=` }],
  [{ region: null }, {}],
  [{ region: { a: 1 } }, {}],
  [{ region: 1.5 }, {}],
  [{}, {}],
])('headers of %j', (input, headers) => {
  expect(parameterHeaders([{ path: ['region'], name: 'Region' }], input)).toEqual(headers);
});
