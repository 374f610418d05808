import { expect, it } from 'vitest';
import { namespaceCauses, namespaceFacts, type NamespaceFacts } from './namespace-causes.ts';

const FINE: NamespaceFacts = {
  program: '/usr/bin/bwrap',
  most: 15_000,
  isForbidden: false,
  needsProfile: false,
  profile: undefined,
  container: undefined,
  isFiltered: false,
};

it.each<[string, Partial<NamespaceFacts>, RegExp[]]>([
  ['nothing that is known', {}, []],
  ['a filter outside of a container', { isFiltered: true }, []],
  ['Docker', { container: 'docker', isFiltered: true }, [/docker run --security-opt seccomp=unconfined .*systempaths=unconfined/u]],
  ['Docker without a filter', { container: 'docker' }, []],
  ['Podman', { container: 'podman', isFiltered: true }, [/podman run .*unmask=ALL/u]],
  ['Kubernetes', { container: 'kubernetes', isFiltered: true }, [/seccompProfile/u]],
  ['no namespaces', { most: 0 }, [/sysctl -w user\.max_user_namespaces=15000/u]],
  ['an unknown number', { most: undefined }, []],
  ['Debian with the switch off', { isForbidden: true }, [/sysctl -w kernel\.unprivileged_userns_clone=1/u]],
  ['Ubuntu', { needsProfile: true }, [/doctor --fix writes \/etc\/apparmor\.d\/synapse-bwrap for \/usr\/bin\/bwrap/u]],
  ['Ubuntu with a profile', { needsProfile: true, profile: '/etc/apparmor.d/bwrap' }, [/Add the line "userns,"/u]],
  ['several causes', { container: 'docker', isFiltered: true, most: 0 }, [/docker run/u, /sysctl -w user/u]],
])('on a machine with %s says what makes namespaces work', (_, facts, expected) => {
  const fixes = namespaceCauses({ ...FINE, ...facts }).map(({ fix }) => fix);
  expect(fixes).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(fixes[index]).toMatch(pattern);
});

it('repairs only with a profile that names the program and nothing else', () => {
  const repairs = [
    { most: 0 },
    { isForbidden: true },
    { container: 'docker', isFiltered: true } as const,
    { needsProfile: true, profile: '/x' },
    { needsProfile: true },
  ]
    .flatMap((facts) => namespaceCauses({ ...FINE, ...facts }))
    .flatMap(({ repair }) => repair ?? []);
  expect(repairs).toEqual([
    {
      file: '/etc/apparmor.d/synapse-bwrap',
      content: expect.stringMatching(/^profile synapse-bwrap \/usr\/bin\/bwrap flags=\(unconfined\) \{\n {2}userns,\n/mu) as string,
      then: ['apparmor_parser', '-r', '/etc/apparmor.d/synapse-bwrap'],
    },
  ]);
});

it.runIf(process.platform === 'linux')('reads the facts of this machine', () => {
  expect(namespaceFacts('/usr/bin/bwrap', { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toMatchObject({
    program: '/usr/bin/bwrap',
    container: 'kubernetes',
  });
});
