import { expect, it } from 'vitest';
import { localImports } from './local-imports.ts';

it.each(['src/a.constructor', 'src/a.toString', 'src/a.__proto__', 'src/a.unknown'])(
  'finds no imports in a file of a kind that it does not know: %s',
  (path) => {
    expect(localImports(path, "import x from './b'\n")).toEqual([]);
  },
);

it('finds the imports of a file that it knows', () => {
  expect(localImports('src/a.ts', "import x from './b.ts';\n")).toHaveLength(1);
});
