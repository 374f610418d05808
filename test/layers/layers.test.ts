import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAYERS_END, LAYERS_START, layersMarkdown, PACKAGE_LAYERS } from '../../scripts/layers.ts';
import { importsIn, cycles, layerProblems, type Sources } from './imports.ts';
import { PACKAGES, ROOT, sourcesOf } from './sources.ts';

it('lists every package', () => {
  expect(
    PACKAGE_LAYERS.flat()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(PACKAGES.toSorted());
});

describe.each(PACKAGES)('%s', (name) => {
  const sources = sourcesOf(name);
  const layer = PACKAGE_LAYERS.findIndex((packages) => packages.some((one) => one.name === name));

  it('imports down, and lists every entry', () => {
    const listed = PACKAGE_LAYERS.flat().find((one) => one.name === name);
    expect(listed === undefined ? [`${name} is not in scripts/layers.ts`] : layerProblems(sources, listed)).toEqual([]);
  });

  it('has no import cycles of files or folders', () => {
    expect(cycles(sources)).toEqual([]);
  });

  it('imports only packages below it', () => {
    const below = new Set(
      PACKAGE_LAYERS.slice(layer + 1)
        .flat()
        .map((one) => one.name),
    );
    const imports = [...sources].flatMap(([file, text]) =>
      [...text.matchAll(/^(?!\s*\*).*(?:from|import\()\s*'@synapse\/([a-z-]+)/gmu)].map(([, target = '']) => ({ file, target })),
    );
    expect(imports.filter(({ target }) => !below.has(target))).toEqual([]);
  });
});

describe('the check', () => {
  const sources = new Map([
    ['top/a.ts', "import { b } from '../low/b.ts';"],
    ['low/b.ts', 'export const b = 1;'],
  ]);
  const layers = [[['top', '']], [['low', '']]] as const;
  const also = (file: string, text: string): Sources => new Map([...sources, [file, text]]);

  it('finds no problem in a correct package', () => {
    expect([...layerProblems(sources, { layers }), ...cycles(sources)]).toEqual([]);
  });

  it.each([
    ['a value', "import { a } from '../top/a.ts';"],
    ['a type', "import type { A } from '../top/a.ts';"],
    ['a type among values', "import {\n  x,\n  type A,\n} from '../top/a.ts';"],
    ['an export', "export * from '../top/a.ts';"],
    ['a late import', "const load = () => import('../top/a.ts');"],
    ['a worker', "new Worker(new URL('../top/a.ts', import.meta.url));"],
  ])('finds an import up: %s', (_, text) => {
    const made = also('low/c.ts', text);
    expect(importsIn(made)).toContainEqual({ from: 'low/c.ts', to: 'top/a.ts' });
    expect(layerProblems(made, { layers })).toEqual(['low/c.ts imports top/a.ts, which is not below it']);
    expect(cycles(made)).toEqual(['top → low → top']);
  });

  it('finds an import within a layer', () => {
    expect(layerProblems(sources, { layers: [[...layers[0], ...layers[1]]] })).toEqual(['top/a.ts imports low/b.ts, which is not below it']);
  });

  it('finds a cycle of files in one folder, and of folders in another', () => {
    const files = new Map([...sources, ['low/b.ts', "import './c.ts';"], ['low/c.ts', "import './d.ts';"], ['low/d.ts', "import './b.ts';"]]);
    expect(cycles(files)).toEqual(['low/b.ts → low/c.ts → low/d.ts → low/b.ts']);
    const folders = new Map([
      ['low/x/a.ts', "import '../y/b.ts';"],
      ['low/y/b.ts', ''],
      ['low/y/c.ts', "import '../x/d.ts';"],
      ['low/x/d.ts', ''],
    ]);
    expect(cycles(folders)).toEqual(['low/x → low/y → low/x']);
  });

  it('finds an unlisted entry, and a missing one', () => {
    expect(layerProblems(also('new/d.ts', ''), { layers })).toEqual(['new is in no layer of scripts/layers.ts']);
    expect(layerProblems(sources, { layers: [...layers, [['gone', '']]] })).toEqual(['gone is in scripts/layers.ts and not there']);
  });
});

it('docs/architecture.md shows this list', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  expect(text.slice(text.indexOf(LAYERS_START), text.indexOf(LAYERS_END) + LAYERS_END.length)).toBe(layersMarkdown());
});
