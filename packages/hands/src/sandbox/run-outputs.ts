import type { Mount } from './bubblewrap-arguments.ts';
import type { Run } from './run.ts';
import type { Layers, OutputLayers } from './view/cache-layers.ts';

/** The build output of earlier commands that a command on the workspace itself sees. */
export async function outputsOf({ parts: { options }, request: { argv, signal }, use: { survey } }: Run): Promise<OutputLayers | undefined> {
  const source = await options.keptOutputs?.source();
  if (source === undefined) return undefined;
  const shown = await source.open(signal);
  // What is hidden or closed in such a folder stays so: a mount must not follow a link that a command made there.
  const isFree = (path: string): boolean =>
    !survey.findings.some(
      (finding) => `${finding.path}/`.startsWith(`${path}/`) || (finding.kind !== 'protected' && `${path}/`.startsWith(`${finding.path}/`)),
    );
  for (const { path, below } of shown) if (!isFree(path)) below[Symbol.dispose]();
  return {
    root: options.confinement.root,
    shown: shown.filter(({ path }) => isFree(path)),
    command: argv.at(-1) ?? '',
    keep: source.keep,
  };
}

/** The folders of the workspace with kept build output, with their layers. */
export function outputMounts(outputs: OutputLayers, layers: Layers | undefined, writable: boolean): Mount[] {
  return outputs.shown.flatMap(({ path }): Mount[] => {
    const at = `${outputs.root}/${path}`;
    const source = layers?.source(at);
    if (source === undefined) return [];
    return [writable ? { kind: 'cache', path: at, source } : { kind: 'read-only', path: at, source }];
  });
}
