import { homedir } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { defaultConfigFolder } from '../policy/configuration-files.ts';
import { capabilitySource } from '../policy/capabilities.ts';
import { GrantFile } from '../policy/grant-file.ts';
import { PolicyStore } from '../policy/policy-store.ts';
import { readPolicyFiles, type PolicyFile } from '../policy/load-policy.ts';
import type { PolicyOptions, PolicySource } from '../policy/policy.ts';
import { realPath } from '../workspace/open-root.ts';
import { readingRules } from '../workspace/readable-roots.ts';
import type { HandsOptions } from './hands-options.ts';
import type { ToolRegistry } from './registry.ts';

interface PolicySurroundings {
  readonly files: readonly PolicyFile[];
  readonly stateFolder: string;
  readonly root: string;
  readonly rootNames: readonly string[];
  readonly registry: ToolRegistry;
  readonly readable: readonly string[];
}

/** The rules from all sources for this workspace. */
export function openPolicy(options: HandsOptions, { files, stateFolder, root, rootNames, registry, readable }: PolicySurroundings): PolicyStore {
  const user = options.configFolder ?? defaultConfigFolder();
  const given: PolicySource[] = options.policy === undefined ? [] : [{ layer: 'flags', origin: 'createHands', settings: options.policy }];
  const settings: PolicyOptions = {
    sources: [
      ...readPolicyFiles(files),
      capabilitySource(options.allow ?? []),
      { layer: 'flags', origin: '--readable', settings: { allow: readingRules(readable) } },
      ...given,
    ],
    tools: new Set(registry.list().map(({ name }) => name)),
    home: homedir(),
    roots: [root, ...rootNames.filter((name) => name !== root)],
    // Both names of the folder: commands are judged by the name they use.
    neverWritable: [...new Set([stateFolder, user].flatMap((folder) => [resolvePath(folder), realPath(resolvePath(folder))]))],
  };
  return new PolicyStore(settings, new GrantFile(stateFolder, root));
}
