import { asRecord, Lines } from '../lines.ts';
import type { ManifestFacts } from '../manifest.ts';

/** Returns the name in a requirement such as `fastapi[all] >= 0.100; python_version > "3"`. */
export const requirementName = (requirement: string): string => /^\s*([A-Za-z0-9][\w.-]*)/u.exec(requirement)?.[1] ?? '';

/** Parses Python's pyproject.toml: PEP 621, or Poetry's older tables. */
export async function parsePyprojectToml(text: string): Promise<ManifestFacts> {
  const { parse } = await import('smol-toml');
  const manifest = asRecord(parse(text));
  const lines = new Lines(text);
  const tool = asRecord(manifest['tool']);
  const poetry = asRecord(tool['poetry']);
  const isStandard = manifest['project'] !== undefined;
  const project = isStandard ? asRecord(manifest['project']) : poetry;
  const from = lines.find([isStandard ? '[project]' : '[tool.poetry]']);
  const python = isStandard ? project['requires-python'] : asRecord(poetry['dependencies'])['python'];
  const listed = project['dependencies'];
  const requirements = Array.isArray(listed) ? listed.filter((item) => typeof item === 'string').map(requirementName) : Object.keys(asRecord(listed));
  return {
    name: lines.fact(project['name'], ['name', '='], from),
    version: lines.fact(project['version'], ['version', '='], from),
    description: lines.fact(project['description'], ['description', '='], from),
    engine: lines.fact(typeof python === 'string' ? `Python ${python}` : '', ['python', '='], from),
    commands: tool['pytest'] === undefined ? [] : [{ purpose: 'test', value: 'pytest', line: lines.find(['[tool.pytest']) }],
    entryPoints: lines.facts(project['scripts'] ?? {}, lines.find(['scripts]'])),
    members: lines.facts(asRecord(asRecord(tool['uv'])['workspace'])['members'] ?? [], lines.find(['[tool.uv.workspace]'])),
    dependencies: lines.facts(
      requirements.filter((name) => name !== '' && name !== 'python'),
      from,
    ),
  };
}
