import type { ProjectGrant } from '@synapse/remote';
import { inLine } from '../output/visible-text.ts';

/** Whose jobs a device may reach. */
const PORTS = { own: 'its jobs', all: 'all jobs' } as const;

type Shown = Pick<ProjectGrant, 'role' | 'session' | 'workspace' | 'project' | 'tools' | 'approves' | 'ports' | 'expires' | 'home'>;

/** What a device may do in a workspace, for people. */
export function grantLine({ role, session, workspace, project = '', tools, approves, ports, expires, home = false }: Shown): string {
  const may = [
    role === 'approver' ? 'approves' : tools.join(','),
    ...(approves.length === 0 ? [] : [`approves ${approves.join(',')} itself`]),
    ...(ports === undefined ? [] : [`ports of ${PORTS[ports]}`]),
  ];
  const where = `${inLine(project)} (${inLine(workspace)})${home ? ', its default' : ''}`;
  return `  ${role} in ${where} as ${session}: ${may.join(', ')}, until ${new Date(expires).toISOString().slice(0, 10)}\n`;
}
