import { expect, it, onTestFinished, vi } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { grammarFor } from './grammar.ts';
import { parseSyntax } from './syntax-file.ts';

/** The symbols of a text, each as `line-endLine kind path`. */
async function outline(path: string, text: string): Promise<string[]> {
  const grammar = grammarFor(path);
  if (grammar === undefined) return expect.fail(`no grammar for ${path}`);
  using file = await parseSyntax(text, grammar);
  if (file === undefined) return expect.fail('not parsed');
  const lines = text.split('\n');
  return file.symbols().map((one) => {
    // The name is where it is said to be.
    expect(lines[one.nameLine - 1]?.slice(one.nameColumn)).toContain(one.name === 'default' ? '' : one.name);
    return `${one.line}-${one.endLine} ${one.kind} ${one.path}`;
  });
}

it.each<[string, string, string[]]>([
  [
    'fields.ts',
    `class Context {
  text: Text = (body) => {
    return body;
  };
  static of = async function* () {};
  readonly #hidden = () => 1;
  on?: () => void;
  made = make(() => 1);
}
`,
    [
      '1-9 class Context',
      '2-4 method Context.text',
      '5-5 method Context.of',
      '6-6 method Context.#hidden',
      '7-7 field Context.on',
      '8-8 field Context.made',
    ],
  ],
  [
    'patterns.ts',
    `const s = { actions: { increment: () => 1, decrement: () => 2 } };
export const { increment, decrement: dec = 1, nested: { deep, ...rest }, ...others } = s.actions;
export const [first, , [second = 2], ...more] = list,
  plain = 1;
export default function (): void {}
`,
    [
      '1-1 variable s',
      '1-1 method s.actions',
      '1-1 method s.actions.increment',
      '1-1 method s.actions.decrement',
      ...['increment', 'dec', 'deep', 'rest', 'others'].map((name) => `2-2 variable ${name}`),
      ...['first', 'second', 'more'].map((name) => `3-3 variable ${name}`),
      '3-4 variable plain',
      '5-5 function default',
    ],
  ],
  ['default.js', 'export default async () => {\n};\n(function () {})();\nnamed(() => 1);', ['1-2 function default']],
  ['generated.mjs', 'export default function* () {}', ['1-1 function default']],
  [
    'blocks.py',
    `for name in names:
    def handler(): pass
else:
    def fallback(): pass
while True:
    total = 1
match platform:
    case "linux":
        class Linux:
            def run(self):
                for each in all:
                    local = 1
    case _:
        def other(): pass
`,
    ['2-2 function handler', '4-4 function fallback', '6-6 variable total', '9-12 class Linux', '10-12 method Linux.run', '14-14 function other'],
  ],
  [
    'targets.py',
    'a, (b, *c) = d, e = f()\n[g, h] = i = 1\nj.k, l = 1, 2\nm[0], n = 1, 2\nfor o, p in q: r, s = o\n',
    ['a', 'b', 'c', 'd', 'e']
      .map((name) => `1-1 variable ${name}`)
      .concat(
        ['g', 'h', 'i'].map((name) => `2-2 variable ${name}`),
        ['3-3 variable l', '4-4 variable n', '5-5 variable r', '5-5 variable s'],
      ),
  ],
  ['fields.js', 'class A { b = () => 1; #c = function () {}; static d = 1 }', ['1-1 class A', '1-1 method A.b', '1-1 method A.#c', '1-1 field A.d']],
  [
    'a.ts',
    `import x from 'x';
export class Context<E> extends Base {
  #a = 1;
  constructor(readonly x: number) { function no() {} }
  header(name: string): void {
    const local = () => 1;
  }
  get res() { return 1; }
}
export interface Shape { area(): number; name: string }
export type Id = string;
export enum Color { Red }
export const one = 1, two = () => 2;
export function over(a: string): void;
export function over(a: unknown): void {}
namespace N { export const inner = 1; export function deep() {} }
const table = { run() {}, stop: () => 1, other: 5 };
export default class { m() {} }
`,
    [
      '2-9 class Context',
      '3-3 field Context.#a',
      '4-4 method Context.constructor',
      '5-7 method Context.header',
      '8-8 method Context.res',
      '10-10 interface Shape',
      '10-10 method Shape.area',
      '10-10 field Shape.name',
      '11-11 type Id',
      '12-12 enum Color',
      '13-13 variable one',
      '13-13 function two',
      '14-14 function over',
      '15-15 function over',
      '16-16 module N',
      '16-16 variable N.inner',
      '16-16 function N.deep',
      '17-17 variable table',
      '17-17 method table.run',
      '17-17 method table.stop',
      '18-18 class default',
      '18-18 method default.m',
    ],
  ],
  ['a.tsx', 'export const App = () => <div>{x}</div>;\n', ['1-1 function App']],
  [
    'a.js',
    `exports.run = function () {};
app.use = function use() {
};
Thing.prototype.go = function () {};
module.exports = { a };
class A { static b = 1; async c() {} }
`,
    ['1-1 function run', '2-3 method app.use', '4-4 method Thing.go', '6-6 class A', '6-6 field A.b', '6-6 method A.c'],
  ],
  [
    'a.js',
    `;(function (root, factory) {
  var local = 1;
})(this, function () {
  function one() { function inner() {} }
  return { one };
});
!function () { class Two { go() {} } }();
(async () => { const three = () => 1; })();
define(['a'], function (a) { function four() {} });
describe('five', function () { function helper() {} });
const six = (function () { function part() {} return { part }; })();
f(function () { function seven() {} });
`,
    [
      '2-2 variable local',
      '4-4 function one',
      '7-7 class Two',
      '7-7 method Two.go',
      '8-8 function three',
      '9-9 function four',
      '11-11 variable six',
      '11-11 function six.part',
    ],
  ],
  [
    'a.cjs',
    `module.exports = {
  one: function () {}, two() {}, three: (x) => x, four: 4,
  inner: { five() {} },
};
exports.six = { seven() {} };
exports = module.exports = create;
Thing.prototype = { go() {}, stop: function () {} };
app.data = { eight: 8 };
app.tools = { nine() {} };
const ten = Object.freeze({ run() {} });
a = b = module.exports = { eleven() {} };
`,
    [
      '2-2 method one',
      '2-2 method two',
      '2-2 method three',
      '3-3 method inner',
      '3-3 method inner.five',
      '5-5 variable six',
      '5-5 method six.seven',
      '7-7 method Thing.go',
      '7-7 method Thing.stop',
      '9-9 variable app.tools',
      '9-9 method app.tools.nine',
      '10-10 variable ten',
      '10-10 method ten.run',
      '11-11 method eleven',
    ],
  ],
  [
    'a.ts',
    'const a = { b() {} } as const;\nexport const c = { d: () => 1 } satisfies E;\n',
    ['1-1 variable a', '1-1 method a.b', '2-2 variable c', '2-2 method c.d'],
  ],
  [
    'b.rb',
    'class A\n  private def b; end\nend\nC = Struct.new(:d) do\n  def e; end\nend\nF = g do\n  def h; end\nend\n',
    ['1-3 class A', '2-2 method A.b', '4-6 class C', '5-5 method C.e', '7-9 variable F'],
  ],
  [
    'a.py',
    `import os
LIMIT = 5
@deco
class A(B):
    x: int = 1
    @property
    def name(self):
        def inner(): pass
        return 1
if os:
    def later(): pass
async def run(): ...
a.b = 5
`,
    ['2-2 variable LIMIT', '3-9 class A', '5-5 variable A.x', '6-9 method A.name', '11-11 function later', '12-12 function run'],
  ],
  [
    'a.go',
    `package a
type (
	Context struct {
		Name, Other string
	}
	Doer interface { Do(x int) error }
)
const A, B = 1, 2
var v = 1
func (c *Context) Header(n string) {}
func (l *List[T]) Push() {}
func Run() {}
`,
    [
      '3-5 struct Context',
      '4-4 field Context.Name',
      '4-4 field Context.Other',
      '6-6 interface Doer',
      '6-6 method Doer.Do',
      '8-8 variable A',
      '8-8 variable B',
      '9-9 variable v',
      '10-10 method Context.Header',
      '11-11 method List.Push',
      '12-12 function Run',
    ],
  ],
  [
    'a.rs',
    `#[derive(Debug)]
pub struct P<T> { x: T }
impl<T> Display for P<T> {
    fn fmt(&self) {}
}
trait Draw { fn draw(&self); }
mod m { pub fn f() {} }
macro_rules! mac { () => {} }
const N: u8 = 1;
enum E { A, B }
`,
    [
      '1-2 struct P',
      '2-2 field P.x',
      '3-5 impl P',
      '4-4 method P.fmt',
      '6-6 trait Draw',
      '6-6 method Draw.draw',
      '7-7 module m',
      '7-7 function m.f',
      '8-8 macro mac',
      '9-9 variable N',
      '10-10 enum E',
    ],
  ],
  [
    'a.c',
    `#include <x.h>
#define LIMIT 5
typedef struct point { int x; } point_t;
static int *find(const char *name)
{
  return 0;
}
int declared(void);
static const int table[] = { 1, 2 };
struct list { struct list *next; };
#ifdef X
void only_x(void) {}
#endif
`,
    [
      '2-2 macro LIMIT',
      '3-3 type point_t',
      '3-3 struct point',
      '3-3 field point.x',
      '4-7 function find',
      '8-8 function declared',
      '9-9 variable table',
      '10-10 struct list',
      '10-10 field list.next',
      '12-12 function only_x',
    ],
  ],
  [
    'a.cpp',
    `namespace n {
template <typename T>
class Box : public Base {
 public:
  Box();
  ~Box() {}
  int size() const { return 1; }
  int count_;
};
}
void n::Box::put(int x) {}
`,
    [
      '1-10 module n',
      '2-9 class n.Box',
      '5-5 method n.Box.Box',
      '6-6 method n.Box.~Box',
      '7-7 method n.Box.size',
      '8-8 field n.Box.count_',
      '11-11 function n.Box.put',
    ],
  ],
  [
    'A.java',
    'class A {\n  int x, y;\n  A() {}\n  void run() {\n  }\n  enum E { B }\n}\n',
    ['1-7 class A', '2-2 field A.x', '2-2 field A.y', '3-3 method A.A', '4-5 method A.run', '6-6 enum A.E'],
  ],
  [
    'a.rb',
    'module M\n  class A < B\n    LIMIT = 5\n    def run; end\n    def self.make\n    end\n  end\nend\n',
    ['1-8 module M', '2-7 class M.A', '3-3 variable M.A.LIMIT', '4-4 method M.A.run', '5-6 method M.A.make'],
  ],
])('reads the symbols of %s', async (path, text, expected) => {
  expect(await outline(path, text)).toEqual(expected);
});

it('reads what it can of a broken file', async () => {
  expect(await outline('a.ts', 'export class A { m() { \n}\nfunction f() {}\n<<<<<<< HEAD\n')).toEqual(
    expect.arrayContaining([expect.stringContaining('class A')]),
  );
});

it('has an end for what is made to have none', async () => {
  const started = computedMs();
  for (const [path, text] of [
    ['a.ts', 'namespace a { '.repeat(20_000)],
    ['a.ts', '('.repeat(300_000)],
    ['a.py', `if x:\n ${'('.repeat(200_000)}`],
    ['a.ts', 'x'.repeat(3_000_000)],
  ] as const) {
    const grammar = grammarFor(path);
    using file = grammar && (await parseSyntax(text, grammar));
    expect(file?.symbols().length ?? 0).toBeLessThan(100);
  }
  expect(computedMs() - started).toBeLessThan(15_000);
});

it('parses also where the machine gives the process no time', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
  onTestFinished(() => clock.mockRestore());
  const grammar = grammarFor('a.ts') ?? expect.fail();
  using file = await parseSyntax('export const one = 1;\n'.repeat(2_000), grammar);
  expect(clock).toHaveBeenCalled();
  expect(file?.symbols().length).toBe(2_000);
});

it.each([
  ['a.go', 'package a\n\ntype S struct {\n\tA int\n}'],
  ['b.go', 'package b\ntype A = B'],
  ['c.go', 'package c; type I interface { M() }'],
  ['d.h', '#pragma once'],
  ['e.h', '#ifndef E\n#define E\n#define LAST 1\n#endif\n#undef E'],
  ['f.c', '#define LAST(x) (x)'],
])('%s: a file without an end of its last line has no syntax error for that', async (path, text) => {
  const grammar = grammarFor(path) ?? expect.fail(`no grammar for ${path}`);
  using file = await parseSyntax(text, grammar);
  using ended = await parseSyntax(`${text}\n`, grammar);
  expect(file?.hasError).toBe(false);
  expect(file?.symbols()).toEqual(ended?.symbols());
});
