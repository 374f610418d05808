import { Lines } from '../lines.ts';
import { type ManifestFacts, NO_FACTS } from '../manifest.ts';

/** Parses Python's setup.cfg. */
export function parseSetupCfg(text: string): ManifestFacts {
  const lines = new Lines(text);
  const metadata = lines.find(['[metadata]']);
  const engine = lines.match(/^python_requires\s*=\s*(.+)$/u);
  return {
    name: lines.match(/^name\s*=\s*(.+)$/u, metadata),
    version: lines.match(/^version\s*=\s*(.+)$/u, metadata),
    description: lines.match(/^description\s*=\s*(.+)$/u, metadata),
    engine: engine === undefined ? undefined : { ...engine, value: `Python ${engine.value}` },
    commands: [],
    entryPoints: [],
    members: [],
    dependencies: [],
  };
}

/** Parses Python's setup.py without running it. Only literal arguments are found. */
export function parseSetupPy(text: string): ManifestFacts {
  const lines = new Lines(text);
  const argument = (name: string): RegExp => new RegExp(`^\\s*${name}\\s*=\\s*["']([^"']+)["']`, 'u');
  return {
    name: lines.match(argument('name')),
    version: lines.match(argument('version')),
    description: lines.match(argument('description')),
    commands: [],
    entryPoints: [],
    members: [],
    dependencies: [],
  };
}

/** Parses Python's requirements.txt. */
export function parseRequirementsTxt(text: string): ManifestFacts {
  return { ...NO_FACTS, dependencies: new Lines(text).matches(/^\s*([A-Za-z0-9][\w.-]*)/u) };
}
