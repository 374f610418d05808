import { describe, expect, it } from 'vitest';
import { keyValueInput, splitKeyValue } from './key-values.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer' },
    odd: { type: 'constructor' },
    ratio: { type: 'number' },
    live: { type: 'boolean' },
    globs: { type: 'array', items: { type: 'string' } },
    lines: { type: 'array', items: { type: 'integer' } },
    edits: { type: 'array', items: { type: 'object' } },
    anything: { type: 'array' },
    glob: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    many: { type: ['boolean', 'integer'] },
    mode: { enum: ['a', 'b'] },
    level: { enum: [1, 2] },
    env: { type: 'object' },
    free: {},
  },
};

function input(words: readonly string[], of: typeof schema | undefined): unknown {
  return keyValueInput(
    words.map((word) => splitKeyValue(word) ?? expect.unreachable(word)),
    of,
  );
}

describe('a word', () => {
  it.each([
    ['a=b', { key: 'a', kind: 'text', value: 'b' }],
    ['a=', { key: 'a', kind: 'text', value: '' }],
    ['a=b=c', { key: 'a', kind: 'text', value: 'b=c' }],
    ['a=x\n y', { key: 'a', kind: 'text', value: 'x\n y' }],
    ['a:=[1]', { key: 'a', kind: 'json', value: '[1]' }],
    ['a:b=1', { key: 'a:b', kind: 'text', value: '1' }],
    ['a=@f.txt', { key: 'a', kind: 'text', value: '', file: 'f.txt' }],
    ['a:=@f.json', { key: 'a', kind: 'json', value: '', file: 'f.json' }],
    ['{"a":"b=c"}', undefined],
    ['[1]=2', undefined],
    ['=b', undefined],
    ['a', undefined],
    ['two words=1', undefined],
    ['', undefined],
  ])('%j', (word, split) => {
    expect(splitKeyValue(word)).toEqual(split);
  });
});

describe('values by the schema', () => {
  it.each([
    [['path=1'], { path: '1' }],
    [['path=true', 'live=true', 'limit=7', 'ratio=-1.5e3'], { path: 'true', live: true, limit: 7, ratio: -1500 }],
    [['live=false'], { live: false }],
    [['globs=a'], { globs: ['a'] }],
    [['globs=a', 'globs=b'], { globs: ['a', 'b'] }],
    [['globs=["a"]'], { globs: ['["a"]'] }],
    [['globs:=["a"]'], { globs: ['a'] }],
    [['lines=1', 'lines=2'], { lines: [1, 2] }],
    [['lines=[1,2]'], { lines: [1, 2] }],
    [['edits=[{"a":1}]'], { edits: [{ a: 1 }] }],
    [['edits={"a":1}', 'edits={"b":2}'], { edits: [{ a: 1 }, { b: 2 }] }],
    [['anything=[1]'], { anything: [1] }],
    [['glob=a'], { glob: 'a' }],
    [['glob=a', 'glob=b'], { glob: ['a', 'b'] }],
    [['count=3'], { count: 3 }],
    [['many=1'], { many: 1 }],
    [['many=true'], { many: true }],
    [['mode=a', 'level=2'], { mode: 'a', level: 2 }],
    [['env={"A":"1"}'], { env: { A: '1' } }],
    [['free=1'], { free: '1' }],
    [['free:=1', 'path:="x"'], { free: 1, path: 'x' }],
    // What does not fit stays as it is: the tool says what it expects.
    [['limit=many', 'live=yes', 'env=x'], { limit: 'many', live: 'yes', env: 'x' }],
    [['limit=0x10', 'ratio= 1'], { limit: '0x10', ratio: ' 1' }],
    [['unknown=1', 'unknown=2'], { unknown: ['1', '2'] }],
    [['toString=1'], { toString: '1' }],
  ])('%j', (words, fields) => {
    expect(input(words, schema)).toEqual(fields);
  });

  it('are text where the schema is not known', () => {
    expect(input(['limit=1', 'globs=a', 'globs=b', 'x:=1'], undefined)).toEqual({ limit: '1', globs: ['a', 'b'], x: 1 });
  });

  it('are text where the type is not known, also where it has the name of an inherited property', () => {
    expect(input(['odd=1'], schema)).toEqual({ odd: '1' });
  });

  it('can have the name of a prototype, which the tool then refuses', () => {
    expect(Object.keys(input(['__proto__=1'], schema) as object)).toEqual(['__proto__']);
  });

  it.each([
    [['path=a', 'path=b'], 'path was given 2 times, and takes one value.'],
    [['edits:=[1'], 'edits:= is not followed by JSON: [1'],
    [['globs:=a', 'globs=b'], 'globs:= is not followed by JSON: a'],
  ])('refuses %j', (words, message) => {
    expect(() => input(words, schema)).toThrow(expect.objectContaining({ code: 'invalid_arguments', message, hint: expect.any(String) }));
  });
});
