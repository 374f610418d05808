import type { ProgramRow } from './row.ts';

const CMAKE = {
  needs: ['cmake', 'make', 'cc'],
  files: {
    'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nenable_testing()\nadd_executable(p main.c)\nadd_test(p p)\n',
    'main.c': 'int main(void){return 0;}\n',
  },
  random: /\.(?:log|yaml|bin|tmp)$|CMakeScratch|TryCompile|cmTC_|a\.out$|CostData/u,
  tells: 'make -C build | grep -c Building',
  tellingWrites: true,
} as const;
/** Creates a wheel, an archive that needs no build. */
const WHEEL = `python3 - <<'END'
import zipfile
info = "demo-1.0.dist-info/"
with zipfile.ZipFile("demo-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("demo.py", "ONE = 1\\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: none\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "entry_points.txt", "[console_scripts]\\ndemo = demo:print\\n")
    wheel.writestr(info + "RECORD", "demo.py,,\\n")
END`;

export const OTHER_ROWS: readonly ProgramRow[] = [
  {
    name: 'make',
    needs: ['make'],
    files: { Makefile: 'all: b.out\nb.out: a.out\n\tcp a.out b.out\na.out: a.in\n\tcat a.in a.in > a.out; chmod 755 a.out\n', 'a.in': 'in\n' },
    command: 'make -s',
    tells: 'make',
  },
  {
    name: 'make once more',
    needs: ['make'],
    files: {
      Makefile: 'all: b.out c.out\nb.out: b.in\n\tcp b.in b.out\nc.out: c.in\n\tcp c.in c.out\nclean:\n\trm b.out c.out\n',
      'b.in': '1',
      'c.in': '1',
    },
    before: 'make -s',
    command: 'echo 2 > b.in; make -s -j2',
    tells: 'make',
  },
  {
    name: 'make with a folder as its stamp',
    needs: ['make'],
    files: { Makefile: 'modules: a.in\n\ttouch modules; echo built >> log\n', 'a.in': '1', 'modules/x': '1' },
    before: 'touch -d @1500000000 modules',
    command: 'echo 2 > a.in; make -s',
    tells: 'make -q modules; echo $?',
  },
  { ...CMAKE, name: 'cmake', command: 'cmake -S . -B build > /dev/null && cmake --build build > /dev/null' },
  {
    ...CMAKE,
    name: 'cmake --build, ctest',
    before: 'cmake -S . -B build > /dev/null && cmake --build build > /dev/null; echo "/* */" >> main.c',
    command: 'cmake --build build > /dev/null && cd build && ctest > /dev/null',
  },
  {
    name: 'cargo build',
    needs: ['cargo', 'cc'],
    files: {
      'Cargo.toml': '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nl = { path = "l" }\n',
      'src/main.rs': 'fn main() { l::one(); }\n',
      'l/Cargo.toml': '[package]\nname = "l"\nversion = "0.1.0"\nedition = "2021"\n',
      'l/src/lib.rs': 'pub fn one() {}\n',
    },
    command: 'CARGO_INCREMENTAL=0 cargo build --offline -q',
    random: /^target\/(?!.*\.d$)/u,
    tellingWrites: true,
    tells: 'CARGO_INCREMENTAL=0 cargo build --offline 2>&1 | grep -c Compiling',
  },
  {
    name: 'cargo test, incremental',
    needs: ['cargo', 'cc'],
    files: {
      'Cargo.toml': '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': '#[test]\nfn a() { std::fs::write("ran", "1").unwrap(); }\n',
    },
    command: 'cargo test --offline -q > /dev/null',
    random: /^target\/(?!.*\.d$)/u,
    fleeting: /^target\/debug\/incremental\//u,
    tellingWrites: true,
    tells: 'cargo test --offline 2>&1 | grep -c Compiling',
  },
  {
    name: 'go build',
    needs: ['go'],
    files: { 'go.mod': 'module p\n\ngo 1.19\n', 'main.go': 'package main\n\nfunc main() {}\n' },
    command: 'GOFLAGS=-mod=mod GOCACHE=$PWD/cache go build -o p .',
    random: /^cache\//u,
  },
  {
    name: 'go test',
    needs: ['go'],
    files: {
      'go.mod': 'module p\n\ngo 1.19\n',
      'a_test.go': 'package p\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) { os.WriteFile("ran", nil, 0o644) }\n',
    },
    command: 'GOFLAGS=-mod=mod GOCACHE=$PWD/cache go test -vet=off ./... > /dev/null',
    random: /^cache\//u,
    fleeting: /^cache\//u,
  },
  {
    name: 'pytest',
    needs: ['pytest'],
    files: { 'test_a.py': 'def test_a():\n    open("ran", "w").write("1")\n' },
    command: 'pytest -q > /dev/null',
    random: /\.pyc$/u,
  },
  {
    name: 'pip install into a venv',
    needs: ['python3', 'pip3'],
    files: { 'main.py': 'import demo\nprint(demo.ONE)\n' },
    before: WHEEL,
    command: 'python3 -m venv venv && venv/bin/pip install -q --no-index --no-deps --disable-pip-version-check ./demo-1.0-py3-none-any.whl',
    random: /\.pyc$/u,
    tells: 'venv/bin/python main.py; venv/bin/pip --disable-pip-version-check check',
    tellingWrites: true,
  },
  {
    name: 'tar, with times, links and holes',
    needs: ['tar'],
    files: { 'd/a': 'one\n' },
    before:
      'ln d/a d/b && ln -s a d/c && truncate -s 1M d/holes && chmod 751 d/a && touch -d @1500000000.5 d/a && mkdir d/empty && tar -cSf t.tar d && rm -r d',
    command: 'tar -xf t.tar',
  },
  {
    name: 'cp -a, mv and sed -i',
    needs: ['sed'],
    files: { 'd/a': 'one\n', 'd/b': 'two\n', e: 'three\n' },
    before: 'chmod 640 d/a',
    command: 'cp -a d copy && mv e d/e && sed -i s/one/1/ d/a && mv d moved && ln -s moved d',
  },
];
