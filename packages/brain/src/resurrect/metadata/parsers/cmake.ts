import { Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Parses CMake's CMakeLists.txt. */
export function parseCMakeLists(text: string): ManifestFacts {
  const lines = new Lines(text);
  const engine = lines.match(/^\s*set\s*\(\s*CMAKE_CXX_STANDARD\s+(\d+)/iu);
  return {
    name: lines.match(/^\s*project\s*\(\s*"?([^\s")]+)/iu),
    version: lines.match(/^\s*(?:project\s*\(.*)?VERSION\s+"?(\d[\w.]*)/u),
    description: lines.match(/DESCRIPTION\s+"([^"]+)"/u),
    engine: engine === undefined ? undefined : { ...engine, value: `C++${engine.value}` },
    commands: lines
      .matches(/^\s*(enable_testing|include\s*\(\s*CTest)/iu)
      .slice(0, 1)
      .map(({ line }) => ({ purpose: 'test', value: 'cmake -S . -B build && cmake --build build && ctest --test-dir build', line })),
    entryPoints: lines.matches(/^\s*add_executable\s*\(\s*([^\s)]+)/iu),
    // Subdirectories of the build are not packages.
    members: [],
    dependencies: lines.matches(/^\s*find_package\s*\(\s*([^\s)]+)/iu),
  };
}
