import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// Loaded only where bubblewrap does not work.

/** The facts about a machine on which bubblewrap gets no namespaces. */
export interface NamespaceFacts {
  /** The path of `bwrap`. */
  readonly program: string;
  /** The sysctl user.max_user_namespaces; undefined if it is not known. */
  readonly most: number | undefined;
  /** Whether the sysctl kernel.unprivileged_userns_clone of Debian forbids them to users. */
  readonly isForbidden: boolean;
  /** Whether AppArmor forbids them to programs without a profile, and which file has one for bubblewrap already. */
  readonly needsProfile: boolean;
  readonly profile: string | undefined;
  readonly container: 'docker' | 'podman' | 'kubernetes' | undefined;
  /** Whether this process has a filter of system calls. */
  readonly isFiltered: boolean;
}

/** A file that makes a sandbox work, and the program that makes it take effect. It opens nothing but that. */
export interface Repair {
  readonly file: string;
  readonly content: string;
  readonly then: readonly [program: string, ...args: string[]];
}

/** Why there are no namespaces, and what a person does about it. */
export interface NamespaceCause {
  readonly says: string;
  readonly fix: string;
  readonly repair?: Repair;
}

const PROFILES = '/etc/apparmor.d';
const CONTAINER_FLAGS: Readonly<Record<NonNullable<NamespaceFacts['container']>, string>> = {
  docker: 'docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined',
  podman: 'podman run --security-opt seccomp=unconfined --security-opt unmask=ALL',
  kubernetes: 'securityContext: { seccompProfile: { type: Unconfined }, procMount: Unmasked }, and hostUsers: false for the pod',
};

/** A profile that gives bubblewrap user namespaces, and changes nothing else (apparmor.d(5), ABI 4.0). */
export const appArmorProfile = (program: string): string =>
  [
    'abi <abi/4.0>,',
    'include <tunables/global>',
    '',
    `profile synapse-bwrap ${program} flags=(unconfined) {`,
    '  userns,',
    '  include if exists <local/synapse-bwrap>',
    '}',
    '',
  ].join('\n');

/** The causes, the most likely one first; none if it is not known why. */
export function namespaceCauses(facts: NamespaceFacts): NamespaceCause[] {
  const { most, isForbidden, needsProfile, profile, container, isFiltered, program } = facts;
  const causes: NamespaceCause[] = [];
  if (container !== undefined && isFiltered)
    causes.push({
      says: `the ${container === 'kubernetes' ? 'pod' : 'container'} has a filter of system calls`,
      fix: `Start it with: ${CONTAINER_FLAGS[container]}`,
    });
  if (most === 0)
    causes.push({
      says: 'the sysctl user.max_user_namespaces is 0',
      fix: 'An administrator allows them with: sysctl -w user.max_user_namespaces=15000',
    });
  if (isForbidden)
    causes.push({
      says: 'the sysctl kernel.unprivileged_userns_clone is 0',
      fix: 'An administrator allows them with: sysctl -w kernel.unprivileged_userns_clone=1',
    });
  if (needsProfile && profile !== undefined)
    causes.push({
      says: `AppArmor restricts user namespaces, and ${profile} is loaded for bubblewrap`,
      fix: `Add the line "userns," to ${profile}, and load it with apparmor_parser -r.`,
    });
  else if (needsProfile) {
    const file = join(PROFILES, 'synapse-bwrap');
    causes.push({
      says: 'AppArmor gives user namespaces only to programs with a profile',
      fix: `synapse doctor --fix writes ${file} for ${program}.`,
      repair: { file, content: appArmorProfile(program), then: ['apparmor_parser', '-r', file] },
    });
  }
  return causes;
}

/** Reads the facts of this machine. */
export function namespaceFacts(program: string, variables: NodeJS.ProcessEnv = process.env): NamespaceFacts {
  const most = Number(textOf('/proc/sys/user/max_user_namespaces') ?? Number.NaN);
  return {
    program,
    most: Number.isNaN(most) ? undefined : most,
    isForbidden: textOf('/proc/sys/kernel/unprivileged_userns_clone') === '0',
    needsProfile: textOf('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1',
    profile: profileOf(program),
    container: containerOf(variables),
    isFiltered: /^Seccomp:\s+2$/mu.test(textOf('/proc/self/status') ?? ''),
  };
}

function containerOf(variables: NodeJS.ProcessEnv): NamespaceFacts['container'] {
  if (variables['KUBERNETES_SERVICE_HOST'] !== undefined) return 'kubernetes';
  if (existsSync('/run/.containerenv')) return 'podman';
  return existsSync('/.dockerenv') ? 'docker' : undefined;
}

/** The file with a profile for a program: two profiles for one program would exclude each other. */
function profileOf(program: string): string | undefined {
  try {
    return readdirSync(PROFILES, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(PROFILES, name))
      .find((file) =>
        new RegExp(`^\\s*profile\\s.*${program.replaceAll('/', '\\/')}[\\s{]|^\\s*${program.replaceAll('/', '\\/')}[\\s{]`, 'mu').test(
          textOf(file) ?? '',
        ),
      );
  } catch {
    // No AppArmor.
    return undefined;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // The kernel does not have it, or it is closed to this user.
    return undefined;
  }
}
