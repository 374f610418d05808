import { expect, it } from 'vitest';
import { rankTools, words } from './search-tools.ts';

const tool = (name: string, description: string) => ({ name: `mcp:${name}`, title: '', description });
const TOOLS = [
  tool('github:create_issue', 'Open a new issue in a repository.'),
  tool('github:list_issues', 'List the issues of a repository.'),
  tool('github:createPullRequest', 'Open a pull request.'),
  tool('slack:post_message', 'Post a message to a channel. Repository issue issue issue issue.'),
  tool('files:read', 'Read a file.'),
];

it.each([
  ['create issue', ['mcp:github:create_issue', 'mcp:github:createPullRequest', 'mcp:github:list_issues']],
  ['pull request', ['mcp:github:createPullRequest']],
  ['iss', ['mcp:github:create_issue', 'mcp:github:list_issues', 'mcp:slack:post_message']],
  ['MCP:FILES:READ', ['mcp:files:read', 'mcp:github:createPullRequest', 'mcp:github:create_issue']],
  ['nothing like that', []],
  ['', []],
  ['!!!', []],
])('%j finds %j', (query, expected) => {
  expect(rankTools(query, TOOLS, 3).map(({ name }) => name)).toEqual(expected);
});

it('takes names apart as models write them', () => {
  expect(words('createPullRequest mcp:my-server:get_item2 Größe')).toEqual([
    'create',
    'pull',
    'request',
    'mcp',
    'my',
    'server',
    'get',
    'item2',
    'größe',
  ]);
});
