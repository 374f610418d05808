import { describe, expect, it } from 'vitest';
import { mostlyBinary } from './binary-files.ts';
import { countLanguages, extension } from './languages.ts';
import { findTraits } from './traits.ts';

it.each([
  ['src/a.test.ts', 'ts'],
  ['.gitignore', ''],
  ['a/.hidden.JS', 'js'],
  ['Makefile', ''],
  ['dir.ext/file', ''],
  ['a.', ''],
])('sees the ending of %s', (path, ending) => {
  expect(extension(path)).toBe(ending);
});

describe('countLanguages', () => {
  it('puts code before what accompanies it, and drops what hardly occurs', () => {
    const paths = [
      ...Array.from({ length: 200 }, (_, index) => `docs/${index}.md`),
      ...Array.from({ length: 100 }, (_, index) => `${index}.rs`),
      'one.vue',
    ];
    expect(countLanguages(paths)).toEqual([
      { language: 'Rust', files: 100 },
      { language: 'Markdown', files: 200 },
    ]);
  });

  it.each([
    [['a.h'], [{ language: 'C', files: 1 }]],
    [['a.h', 'b.c', 'c.c'], [{ language: 'C', files: 3 }]],
    [
      ['a.h', 'b.h', 'c.cpp', 'd.cc', 'e.c'],
      [
        { language: 'C++', files: 4 },
        { language: 'C', files: 1 },
      ],
    ],
    [['a.h', 'b.m'], [{ language: 'Objective-C', files: 2 }]],
  ])('takes the headers among %j for those of the code', (paths, languages) => expect(countLanguages(paths)).toEqual(languages));

  it('is not fooled by names of object properties', () => {
    expect(countLanguages(['a.constructor', 'b.__proto__', 'c.toString'])).toEqual([]);
  });
});

describe('findTraits', () => {
  it.each([
    ['src/a.test.ts', 'tests'],
    ['pkg/thing_test.go', 'tests'],
    ['tests/unit.rs', 'tests'],
    ['test_thing.py', 'tests'],
    ['src/FooTests.cs', 'tests'],
    ['.github/workflows/ci.yml', 'ci'],
    ['.gitlab-ci.yml', 'ci'],
    ['Jenkinsfile', 'ci'],
    ['docs/index.md', 'docs'],
    ['deploy/Dockerfile', 'containers'],
  ])('%s shows %s', (path, trait) => {
    expect(findTraits([path])).toEqual([{ trait, path, files: 1 }]);
  });

  it.each(['src/latest.ts', 'tsconfig.spec.json', 'contest/a.ts', 'src/docs.ts', 'doc/man.go', 'docs/conf.py', 'a/.github/workflows/ci.yml'])(
    '%s shows nothing',
    (path) => {
      expect(findTraits([path])).toEqual([]);
    },
  );

  it('names the shallowest path', () => {
    expect(findTraits(['a/b/test/x.ts', 'test/y.ts', 'a/test/z.ts'])).toEqual([{ trait: 'tests', path: 'test/y.ts', files: 3 }]);
  });
});

it.each([
  [['a.png', 'b.JPG', 'c.txt'], { kind: 'images', files: 2 }],
  [['a.png', 'b.txt'], undefined],
  [[], undefined],
])('tells what most of %j are', (paths, kind) => {
  expect(mostlyBinary(paths)).toEqual(kind);
});
