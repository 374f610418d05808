import { expect, it } from 'vitest';
import { rewriteLinks } from './page-links.ts';

const pages = new Map([
  ['docs/library.md', 'library.md'],
  ['docs/permissions.md', 'permissions.md'],
  ['SECURITY.md', 'project/security.md'],
]);

it.each([
  ['[rules](permissions.md#rules)', 'docs/library.md', '[rules](./permissions.md#rules)'],
  ['[threats](../SECURITY.md)', 'docs/library.md', '[threats](./project/security.md)'],
  ['[library](docs/library.md)', 'SECURITY.md', '[library](../library.md)'],
  ['[code](../packages/hands/src/index.ts)', 'docs/library.md', 'code'],
  ['[here](#here), [web](https://example.com)', 'docs/library.md', '[here](#here), [web](https://example.com)'],
  ['![picture](images/a.png)', 'docs/library.md', '![picture](images/a.png)'],
  ['a <!-- generated -->b', 'docs/library.md', 'a b'],
  ['```md\n[code](x.md) <!-- kept -->\n```', 'docs/library.md', '```md\n[code](x.md) <!-- kept -->\n```'],
])('%s', (text, file, expected) => {
  expect(rewriteLinks(text, file, pages)).toBe(expected);
});
