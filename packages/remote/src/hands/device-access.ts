import type { Hands } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import { grantIn, unknownWorkspace, workspaceOf, workspacesOf, type Grants, type RemoteGrant } from '@synapse/protocol/remote';
import type { ConnectOptions } from './connect-options.ts';
import type { ServedWorkspaces } from './served-workspaces.ts';
import { canAsk, mayApprove, type Asked } from './who-approves.ts';

/** What lost its access: a device in all workspaces, or in some. */
interface Loss {
  readonly device: string;
  /** Undefined: all. */
  readonly workspaces: readonly string[] | undefined;
}

/** What devices may do in the workspaces of a machine, by the newest grants. */
export class DeviceAccess {
  readonly #workspaces: ServedWorkspaces;
  readonly #options: Pick<ConnectOptions, 'approver' | 'brainApproves'>;
  readonly #now: () => number;
  /** Undefined if no device is paired: then all may use all. */
  #grants: Grants | undefined;

  constructor(
    workspaces: ServedWorkspaces,
    options: Pick<ConnectOptions, 'approver' | 'brainApproves'>,
    grants: Grants | undefined,
    now: () => number,
  ) {
    this.#workspaces = workspaces;
    this.#options = options;
    this.#grants = grants;
    this.#now = now;
  }

  /** Takes new grants. Returns what they take away. */
  replace(grants: Grants): Loss[] {
    const before = this.#grants ?? new Map<string, never>();
    this.#grants = grants;
    return [...before].flatMap(([device, { workspaces }]): Loss[] => {
      const after = grants.get(device);
      if (after === undefined) return [{ device, workspaces: undefined }];
      const lost = [...(workspaces?.keys() ?? [])].filter((name) => after.workspaces?.has(name) !== true);
      return lost.length === 0 ? [] : [{ device, workspaces: lost }];
    });
  }

  /** What has expired. */
  expired(): Loss[] {
    return [...(this.#grants ?? [])].flatMap(([device, { expires, workspaces }]): Loss[] => {
      if (this.#now() >= expires) return [{ device, workspaces: undefined }];
      const over = [...(workspaces ?? [])].flatMap(([name, grant]) => (this.#now() >= grant.expires ? [name] : []));
      return over.length === 0 ? [] : [{ device, workspaces: over }];
    });
  }

  readonly identityOf = (device: string): string | undefined => this.#grants?.get(device)?.identity;

  grantOf(device: string, workspace: string | undefined): RemoteGrant | undefined {
    return grantIn(this.#grants?.get(device), workspace);
  }

  /** The name of the workspace that a party means. */
  nameOf(from: string | undefined, workspace: string | undefined): string | undefined {
    return workspaceOf(this.#grants?.get(from ?? ''), workspace);
  }

  /** The names of the workspaces that a party may use. */
  readonly names = (from: string | undefined): readonly string[] => {
    if (this.#grants === undefined) return this.#workspaces.names();
    const grant = this.#grants.get(from ?? '');
    return grant === undefined ? [] : workspacesOf(grant, this.#now());
  };

  /** The hands of a workspace for a party that reads about it; the reason if it may not use that, or there is none. */
  async handsFor(from: string | undefined, workspace: string | undefined): Promise<Hands | SynapseError> {
    const refused = (): SynapseError => new SynapseError('denied', unknownWorkspace(this.names(from), workspace));
    if (this.#grants !== undefined) {
      const grant = this.grantOf(from ?? '', workspace);
      if (grant === undefined || this.#now() >= grant.expires) return refused();
    }
    const opened = await this.#workspaces.open(this.nameOf(from, workspace));
    return opened?.hands ?? refused();
  }

  readonly mayApprove = (asked: Asked, tool: string): boolean => mayApprove(this.#grants, asked, tool, this.#now());

  /** The tools of a grant, of which some may end with `*`; undefined where no device is paired. */
  readonly toolsOf = ({ owner, workspace }: Asked): readonly string[] | undefined =>
    this.#grants === undefined ? undefined : this.grantOf(owner ?? '', workspace)?.tools;

  readonly canAsk = (workspace: string | undefined): boolean => canAsk(this.#grants, workspace, this.#options, this.#now());
}
